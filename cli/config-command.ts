import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import { formatSettings, formatSettingsJson } from '../config/print.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('Print every setting, its value and where it came from. Secrets are not shown.')
    .option(
      '-c, --config <file>',
      'configuration file (default: $SUTRA_CONFIG, else sutra.yaml if there is one)',
    )
    .option('--json', 'for programs')
    .action((options: { config?: string; json?: boolean }) => {
      const loaded = loadSettings(options.config === undefined ? {} : { configFile: options.config });
      process.stdout.write(options.json === true ? formatSettingsJson(loaded) : formatSettings(loaded));
    });
}

import { Command } from 'commander';
import { loadSettings } from '../config/load.ts';
import { shutdownOnSignals } from '../server/lifecycle.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Start the engine and serve HTTP until SIGTERM or SIGINT. A second signal exits at once.')
    .option(
      '-c, --config <file>',
      'configuration file (default: $SUTRA_CONFIG, else sutra.yaml if there is one)',
    )
    .addHelpText(
      'after',
      `
Every setting is a key of the file or an environment variable; the environment wins.

  SUTRA_HTTP_PORT         port (8080; 0 takes any free one)
  SUTRA_DATASOURCE_URL    postgres://… ; unset: an embedded database in SUTRA_DATA_DIR (.sutra/data)
  SUTRA_DEPLOYMENTS_DIR   a folder of packages, watched

A second process with the same SUTRA_DATASOURCE_URL and another port is a second replica.
'sutra config' prints every setting, its value and where it came from; docs/config.md explains them.`,
    )
    .action(async (options: { config?: string }) => {
      const loaded = loadSettings(options.config === undefined ? {} : { configFile: options.config });
      // Only here: the other commands, and the help, need not wait for a whole engine to load.
      const { startEngine } = await import('../server/engine.ts');
      const engine = await startEngine({ settings: loaded.settings, secrets: loaded.secrets });
      shutdownOnSignals(engine.lifecycle, (code) => process.exit(code));
      process.stdout.write(`sutra is ready at ${engine.url}\n`);
    });
}

import { Command, Option } from 'commander';
import { formatFindings, lintPackage } from '../definitions/lint.ts';

export function lintCommand(): Command {
  return new Command('lint')
    .description(
      'Check a package as a deployment would, and report every finding. Exit code 1 when there is one.',
    )
    .argument('<package>', 'the package folder')
    .addOption(
      new Option('--format <format>', 'how to print').choices(['text', 'json'] as const).default('text'),
    )
    .action(async (folder: string, options: { format: 'text' | 'json' }) => {
      const findings = await lintPackage(folder);
      process.stdout.write(`${formatFindings(findings, options.format)}\n`);
      if (findings.length > 0) process.exitCode = 1;
    });
}

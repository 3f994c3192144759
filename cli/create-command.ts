import { join } from 'node:path';
import { Command } from 'commander';
import { createPackage } from './create-package.ts';

export function createCommand(): Command {
  return new Command('create')
    .description(
      'Make a package that runs: a process, its channels, a schema, a scenario that tests it, and a page that says how to run it.',
    )
    .argument('<name>', 'a new folder; its last part is the name of the package and of its process')
    .option('--bpmn', 'the process as a BPMN model with a diagram, not as a flow in YAML')
    .option('--tenant <label>', 'for whom the package is', 'main')
    .action(async (folder: string, options: { bpmn?: true; tenant: string }) => {
      const notation = options.bpmn === true ? 'bpmn' : 'flow';
      const paths = await createPackage(folder, { tenant: options.tenant, notation });
      const files = paths.map((path) => `  ${join(folder, path)}\n`);
      process.stdout.write(`created\n${files.join('')}${nextSteps(folder)}`);
    });
}

function nextSteps(folder: string): string {
  return `next\n  sutra lint ${folder}\n  sutra simulate ${folder}\n  ${join(folder, 'README.md')} says how to run it\n`;
}

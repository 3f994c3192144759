#!/usr/bin/env node
/** The `sutra` command. Each sub-command is a file of its own; exit codes are in docs/cli.md. */
import { Command } from 'commander';
import { configCommand } from './config-command.ts';
import { convertCommand } from './convert-command.ts';
import { createCommand } from './create-command.ts';
import { decideCommand } from './decide-command.ts';
import { deployCommand } from './deploy-command.ts';
import { reportFailure } from './failure.ts';
import { lintCommand } from './lint-command.ts';
import { operateCommands } from './operate/commands.ts';
import { serveCommand } from './serve-command.ts';
import { simulateCommand } from './simulate-command.ts';
import { packageVersion } from './version.ts';
import { workCommand } from './work/work-command.ts';

const program = new Command('sutra')
  .description('A BPMN workflow engine whose work is pulled by workers.')
  .version(packageVersion())
  .showHelpAfterError('(see sutra --help)')
  .addCommand(serveCommand())
  .addCommand(createCommand())
  .addCommand(lintCommand())
  .addCommand(simulateCommand())
  .addCommand(convertCommand())
  .addCommand(decideCommand())
  .addCommand(deployCommand())
  .addCommand(configCommand())
  .addCommand(workCommand());

for (const command of operateCommands()) program.addCommand(command);

try {
  await program.parseAsync();
} catch (error) {
  reportFailure(error);
}

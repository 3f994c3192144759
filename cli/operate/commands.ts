/** The commands that talk to a running engine, in the order in which they are listed. */
import type { Command } from 'commander';
import { changeCommands } from './change-commands.ts';
import { listCommands } from './list-commands.ts';
import { migrateCommand } from './migrate-command.ts';
import { moveCommand } from './move-command.ts';
import { deadLetterCommand, instanceCommand, taskCommand } from './show-commands.ts';

export function operateCommands(): readonly Command[] {
  return [
    ...listCommands(),
    instanceCommand(),
    taskCommand(),
    deadLetterCommand(),
    moveCommand(),
    migrateCommand(),
    ...changeCommands(),
  ];
}

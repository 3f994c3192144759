/** The commands that talk to a running engine, in the order in which they are listed. */
import type { Command } from 'commander';
import { changeCommands } from './operate-change-commands.ts';
import { listCommands } from './operate-list-commands.ts';
import { instanceCommand, taskCommand } from './operate-show-commands.ts';

export function operateCommands(): readonly Command[] {
  return [...listCommands(), instanceCommand(), taskCommand(), ...changeCommands()];
}

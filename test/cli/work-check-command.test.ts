/** A command that is not there is found before any task is fetched. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checkCommand } from '../../cli/work/command-task.ts';

const folder = mkdtempSync(join(tmpdir(), 'sutra-work-test-'));
const plainFile = join(folder, 'plain.sh');
const program = join(folder, 'program.sh');
writeFileSync(plainFile, 'exit 0\n');
writeFileSync(program, '#!/bin/sh\n');
chmodSync(program, 0o755);
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { PATH: process.env['PATH'] ?? '' };

const good: readonly string[] = [
  'cat',
  ' sort -u | uniq',
  'cd /tmp',
  'exec cat',
  program,
  `sh ${plainFile}`,
  // What only a shell can tell is not looked at.
  'A=1 no-such-program',
  '"no such program"',
  '$PROGRAM -x',
  '(no-such-program)',
];
const bad: readonly string[] = [
  'no-such-program',
  './no-such-program -x',
  plainFile,
  folder,
  `${folder}/`,
  ' ./none',
];

describe('a command', () => {
  for (const command of good) {
    it(`may be begun with: ${command.replace(folder, '')}`, () => checkCommand(command, environment));
  }
  for (const command of bad) {
    it(`is not there: ${command.replace(folder, '')}`, async () => {
      await assert.rejects(checkCommand(command, environment), { code: 'SUTRA.CLI.COMMAND_NOT_FOUND' });
    });
  }
});

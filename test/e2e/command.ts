/** Commands as processes of their own, as a person starts them. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { sutraCommand } from '../support/engine-process.ts';
import { programArguments } from '../support/program.ts';

export const projectDir = fileURLToPath(new URL('../../', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `script` is a path in the project. Only `env`, and where to find programs, is in its environment. */
export function runScript(
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return runNode([...programArguments(new URL(`../../${script}`, import.meta.url)), ...args], env);
}

function runNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const child = spawn(process.execPath, args, {
    cwd: projectDir,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString();
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, ...output });
    });
  });
}

export function sutra(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return runNode([...sutraCommand, ...args], env);
}

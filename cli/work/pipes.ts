/**
 * What a command reads from and writes to. What the runtime calls a pipe is a socket, and a socket cannot be opened by a
 * path: a script's `echo … > /dev/stderr` or `jq . /dev/stdin` would fail, as it does nowhere else. So the outputs are
 * real pipes, and the input is a file. Pipes without a name are out of reach here: they have one, as the file does, in a
 * folder that nobody else may enter, and it is gone before the command runs.
 *
 * Not a pipe for the input as well: one that was written and closed cannot be opened by its path any more.
 */
import { execFile } from 'node:child_process';
import { close, constants, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

export interface CommandPipes {
  /** Our ends of standard output, standard error and descriptor 3. */
  readonly output: Socket;
  readonly errors: Socket;
  readonly reports: Socket;
  /** The command's, by its descriptors. */
  readonly childEnds: readonly [number, number, number, number];
  /** Once the command has them: ours must be closed, or no end of the output would ever be seen. Once is enough. */
  closeChildEnds(): void;
}

/** @throws Error when the system has no room for them. */
export async function openPipes(input: Uint8Array): Promise<CommandPipes> {
  const folder = await mkdtemp(join(tmpdir(), 'sutra-work-'));
  try {
    const [file, ...outputs] = ['input', 'output', 'errors', 'reports'].map((name) => join(folder, name));
    const [output = '', errors = '', reports = ''] = outputs;
    await writeFile(file ?? '', input, { mode: 0o600 });
    await runFile('mkfifo', ['-m', '600', ...outputs]);
    return open(file ?? '', [output, errors, reports]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function open(input: string, outputs: readonly [string, string, string]): CommandPipes {
  const opened: number[] = [];
  const openOne = (path: string, flags: number): number => {
    const fd = openSync(path, flags);
    opened.push(fd);
    return fd;
  };
  try {
    const inputFd = openOne(input, constants.O_RDONLY);
    // Ours first and without waiting; then the command's, which finds it and so does not wait either.
    const ours = outputs.map((path) => openOne(path, constants.O_RDONLY | constants.O_NONBLOCK));
    const theirs = outputs.map((path) => openOne(path, constants.O_WRONLY));
    return new OpenPipes(ours as Three, [inputFd, ...(theirs as Three)]);
  } catch (error) {
    opened.forEach(closeQuietly);
    throw error;
  }
}

type Three = [number, number, number];

class OpenPipes implements CommandPipes {
  readonly output: Socket;
  readonly errors: Socket;
  readonly reports: Socket;
  readonly childEnds: readonly [number, number, number, number];
  #areClosed = false;

  constructor([output, errors, reports]: Three, childEnds: CommandPipes['childEnds']) {
    this.output = readable(output);
    this.errors = readable(errors);
    this.reports = readable(reports);
    this.childEnds = childEnds;
  }

  closeChildEnds(): void {
    // A number may be another file's by the second time.
    if (!this.#areClosed) this.childEnds.forEach(closeQuietly);
    this.#areClosed = true;
  }
}

function readable(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false });
}

function closeQuietly(fd: number): void {
  close(fd, () => undefined);
}

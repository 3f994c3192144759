import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { EngineError, type Finding } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { bpmnToFlows, flowToBpmn } from '../definitions/flows/convert/convert.ts';
import { formatFindings } from '../definitions/lint-format.ts';
import type { CliCode } from './codes.ts';
import { layoutBpmn } from './layout-bpmn.ts';

interface ConvertOptions {
  readonly output?: string;
  readonly force?: true;
}

interface Output {
  readonly path: string;
  readonly text: string;
}

const FLOW = /\.ya?ml$/i;
/** Also as other engines name them: order.bpmn20.xml. */
const MODEL = /\.bpmn$|(?:\.bpmn(?:20)?)?\.xml$/i;

export function convertCommand(): Command {
  return new Command('convert')
    .description(
      'Turn a flow into a BPMN file with a diagram, or a BPMN file into flows. Exit code 1 when something cannot be said in the other notation; nothing is written then.',
    )
    .argument('<file>', 'a flow (.yaml, .yml) or a BPMN file (.bpmn, .xml)')
    .option('-o, --output <file>', 'what to write; without it a file of the same name beside it')
    .option('--force', 'overwrite a file that is there')
    .action(convert);
}

async function convert(file: string, options: ConvertOptions): Promise<void> {
  if (!FLOW.test(file) && !MODEL.test(file)) {
    const message = `${quoteText(file)} is neither a flow nor a BPMN file: its name ends in none of .yaml, .yml, .bpmn and .xml`;
    throw error('SUTRA.CLI.NOTATION_UNKNOWN', message);
  }
  const content = await read(file);
  const { outputs, findings } = FLOW.test(file)
    ? await asModel(file, content, options)
    : asFlows(file, content, options);
  if (findings.length > 0) process.stderr.write(`${formatFindings(findings)}\n`);
  if (outputs === null) {
    process.exitCode = 1;
    return;
  }
  // All or none: a second one may be there already.
  if (options.force !== true) outputs.forEach(({ path }) => refuseExisting(path));
  for (const output of outputs) await write(output);
}

interface Conversion {
  /** Null: a finding is an error. */
  readonly outputs: readonly Output[] | null;
  readonly findings: readonly Finding[];
}

async function asModel(path: string, content: Uint8Array, { output }: ConvertOptions): Promise<Conversion> {
  const { text, findings } = flowToBpmn({ path, content });
  if (text === null) return { outputs: null, findings };
  const laidOut = await layoutBpmn(text);
  const outputs = [{ path: output ?? path.replace(FLOW, '.bpmn'), text: laidOut ?? text }];
  return laidOut === null
    ? { outputs, findings: [...findings, note(path, NO_DIAGRAM)] }
    : { outputs, findings };
}

const NO_DIAGRAM =
  'no diagram could be drawn, so the BPMN file has none; it runs all the same, and a modeler can draw one';

function note(file: string, message: string): Finding {
  return { code: 'SUTRA.FLOWS.CONVERSION_NOTE', severity: 'warning', message, place: { file } };
}

function asFlows(path: string, content: Uint8Array, { output }: ConvertOptions): Conversion {
  const { flows, findings } = bpmnToFlows({ path, content });
  if (findings.some(({ severity }) => severity === 'error')) return { outputs: null, findings };
  const [first, second] = flows;
  if (first === undefined) {
    const message = `${quoteText(path)} has no executable process, so there is no flow to write`;
    return {
      outputs: null,
      findings: [
        ...findings,
        { code: 'SUTRA.FLOWS.NOT_CONVERTIBLE', severity: 'error', message, place: { file: path } },
      ],
    };
  }
  if (second === undefined) {
    return { outputs: [{ path: output ?? path.replace(MODEL, '.yaml'), text: first.text }], findings };
  }
  if (output !== undefined) {
    const message = `${quoteText(path)} has ${flows.length} processes, and a flow is one; leave --output out, and each gets a file of its name`;
    throw error('SUTRA.CLI.OUTPUT_AMBIGUOUS', message);
  }
  return {
    outputs: flows.map(({ id, text }) => ({ path: join(dirname(path), `${id}.yaml`), text })),
    findings,
  };
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw error(
      'SUTRA.CLI.FILE_UNREADABLE',
      `the file ${quoteText(path)} cannot be read: ${reasonOf(cause)}`,
      cause,
    );
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path))
    throw error('SUTRA.CLI.FILE_EXISTS', `${quoteText(path)} is there already; --force overwrites it`);
}

async function write({ path, text }: Output): Promise<void> {
  try {
    await writeFile(path, text);
  } catch (cause) {
    throw error(
      'SUTRA.CLI.FILE_UNWRITABLE',
      `the file ${quoteText(path)} cannot be written: ${reasonOf(cause)}`,
      cause,
    );
  }
  process.stdout.write(`wrote ${path}\n`);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

function error(code: CliCode, message: string, cause?: unknown): EngineError {
  return new EngineError(code, message, { cause });
}

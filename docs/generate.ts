/**
 * Writes the reference pages `docs/config.md`, `docs/errors.md`, `docs/bpmn.md`, `docs/models.md` and `docs/lint.md`
 * from the tables that the program itself uses. With `--check` it writes nothing and fails when a page differs.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatDuration } from '../config/iso8601.ts';
import { contradictions, environmentName, settingRows } from '../config/schema.ts';
import type { SettingRow } from '../config/schema.ts';
import { bpmnPage } from './bpmn-page.ts';
import { readCodeTables, ROOT_DIR } from './code-tables.ts';
import { flowSchemaText } from './flow-schema.ts';
import { lintPage } from './lint-page.ts';
import { GENERATED, line } from './markdown.ts';
import { modelsPage } from './models-page.ts';

/** Text of every generated page by its path from the root. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/config.md', configPage()],
    ['docs/errors.md', await errorsPage()],
    ['docs/bpmn.md', bpmnPage()],
    ['docs/models.md', modelsPage()],
    ['docs/flow.schema.json', flowSchemaText()],
    ['docs/lint.md', await lintPage()],
  ]);
}

/** The pages whose file differs from what the tables say. */
export async function findStalePages(): Promise<string[]> {
  return [...(await generatePages())].flatMap(([path, text]) => (readPage(path) === text ? [] : [path]));
}

function configPage(): string {
  const rows = Object.entries<SettingRow>(settingRows).map(([key, row]) =>
    line(
      `\`${key}\``,
      `\`${environmentName(key)}\``,
      row.default === null ? '' : `\`${row.default}\``,
      bounds(row),
      row.meaning,
    ),
  );
  const rules = contradictions.map(({ keys: [one, other] }) => `- \`${one}\` and \`${other}\``);
  return (
    [
      '# Configuration',
      GENERATED,
      `A setting is taken from the environment, else from the file, else its default. \`sutra config\` prints every
setting, its value and where it came from.

The file is YAML: \`SUTRA_CONFIG\` names it, else \`sutra.yaml\` in the working directory is read if it is there.
Keys are nested or dotted, as one likes:

\`\`\`yaml
sutra:
  http:
    port: 9090
  external-task.max-lock-duration: PT2H
\`\`\`

Durations are ISO-8601 (\`PT30S\`, \`PT5M\`, \`P7D\`); years, months and bare numbers are refused. Relative paths start
at the working directory. Secrets are references, \`env:NAME\` or \`secret:NAME\` (the file \`/run/secrets/NAME\`); the
variable of a secret must not begin with \`SUTRA_\`.

The engine does not start with an unknown \`sutra.*\` key, an unknown \`SUTRA_*\` variable, a value outside its bounds
or two values that contradict each other; it lists every fault at once.`,
      [
        line('key', 'environment', 'default', 'value', 'meaning'),
        line('---', '---', '---', '---', '---'),
        ...rows,
      ].join('\n'),
      '## Pairs that are checked against each other',
      `A default counts as well: lowering a ceiling below a default is a contradiction until the default is set too.`,
      rules.join('\n'),
    ].join('\n\n') + '\n'
  );
}

function bounds(row: SettingRow): string {
  switch (row.kind) {
    case 'integer':
      return `${row.min} to ${row.max}`;
    case 'duration':
      return `${row.minMs === 0 ? 'PT0S' : 'more than PT0S'} to ${formatDuration(row.maxMs)}`;
    case 'boolean':
      return 'true or false';
    case 'host':
      return 'host name or address';
    case 'path':
      return 'path';
    case 'database-url':
      return 'postgres:// or postgresql:// URL';
    case 'secret-reference':
      return 'env:NAME or secret:NAME';
  }
}

const RETRY_WORDS = { safe: 'yes', never: 'no', 'after-change': 'after a change' } as const;

async function errorsPage(): Promise<string> {
  const sections = (await readCodeTables()).map(({ folder, rows }) =>
    [
      `## ${folder}`,
      '',
      line('code', 'status', 'same again?', 'what happened', 'what to do'),
      line('---', '---', '---', '---', '---'),
      ...rows.map(([code, row]) =>
        line(`\`${code}\``, String(row.httpStatus), RETRY_WORDS[row.retry], row.meaning, row.remedy),
      ),
    ].join('\n'),
  );
  return (
    [
      '# Error codes',
      GENERATED,
      `Every error answer is \`application/problem+json\` and carries one of these codes; findings of \`sutra lint\`, refused
deployments and failed instances carry them too. Codes are stable: programs match on them, never on the text. The
sections are the parts of the engine that raise them. *Same again?* says whether repeating the same request can
help: at any time, never, or once what the last column names was done.`,
      ...sections,
    ].join('\n\n') + '\n'
  );
}

function readPage(path: string): string | null {
  try {
    return readFileSync(join(ROOT_DIR, path), 'utf8');
  } catch {
    return null;
  }
}

async function run(): Promise<void> {
  if (process.argv.includes('--check')) {
    const stale = await findStalePages();
    for (const path of stale) {
      console.error(`${path} differs from the tables it is generated from: run \`npm run docs\``);
    }
    process.exitCode = stale.length === 0 ? 0 : 1;
    return;
  }
  for (const [path, text] of await generatePages()) {
    writeFileSync(join(ROOT_DIR, path), text);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await run();
}

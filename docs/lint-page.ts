/** Writes `docs/lint.md`: how to lint, and twenty typical mistakes with what the linter itself says of them. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Finding } from '../config/engine-error.ts';
import { loadSettings } from '../config/load.ts';
import { findingCodes } from '../definitions/finding-codes.ts';
import { formatFindings } from '../definitions/lint-format.ts';
import { lintPackage } from '../definitions/lint.ts';
import { ROOT_DIR } from './code-tables.ts';
import { mistakes, type Mistake, type MistakeEdit } from './lint-mistakes.ts';
import { GENERATED } from './markdown.ts';

const MARK = '▮';
/** Around what an edit has put into a file. */
const FROM = '\u0001';
const TO = '\u0002';
const PACKAGE_DIR = join(ROOT_DIR, 'test/fixtures/lint/orders');

/** The text of each file of a package, by its path. */
export type PackageTexts = ReadonlyMap<string, string>;

/** The package that has no mistake. */
export function soundPackage(): PackageTexts {
  const paths = readdirSync(PACKAGE_DIR, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(PACKAGE_DIR.length + 1));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(PACKAGE_DIR, path), 'utf8')]));
}

/** The package with the mistake in it, and where findings are to be, as `file:line:column`. */
export function withMistake(
  sound: PackageTexts,
  mistake: Mistake,
): { readonly files: PackageTexts; readonly marked: readonly string[] } {
  const edited = applyEdits(sound, mistake.edits, ({ wrong }) => wrong);
  const marked: string[] = [];
  const files = new Map<string, string>();
  for (const [path, text] of edited) {
    const withMarks = withoutBorders(text);
    for (let at = withMarks.indexOf(MARK); at >= 0; at = withMarks.indexOf(MARK, at + 1)) {
      const before = withMarks.slice(0, at).replaceAll(MARK, '').split('\n');
      marked.push(`${path}:${before.length}:${(before.at(-1) ?? '').length + 1}`);
    }
    files.set(path, withMarks.replaceAll(MARK, ''));
  }
  return { files, marked };
}

/** The files with what `choose` gives in place of what is right, between FROM and TO. */
function applyEdits(
  sound: PackageTexts,
  edits: readonly MistakeEdit[],
  choose: (edit: MistakeEdit) => string,
): PackageTexts {
  const files = new Map(sound);
  for (const edit of edits) {
    const parts = files.get(edit.file)?.split(edit.right) ?? [];
    if (parts.length !== 2) throw new Error(`${JSON.stringify(edit.right)} must be once in ${edit.file}`);
    files.set(edit.file, parts.join(`${FROM}${choose(edit)}${TO}`));
  }
  return files;
}

/** What lint says of the package, with the ceilings of an engine whose configuration is empty. */
export async function lintTexts(files: PackageTexts): Promise<readonly Finding[]> {
  const dir = mkdtempSync(join(tmpdir(), 'sutra-lint-page-'));
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    }
    const { settings } = loadSettings({ env: {}, cwd: dir });
    return await lintPackage(dir, { operator: { ...settings.externalTask, ...settings.codec } });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

export async function lintPage(): Promise<string> {
  const sound = soundPackage();
  const sections: string[] = [];
  for (const [index, mistake] of mistakes.entries()) {
    const findings = await lintTexts(withMistake(sound, mistake).files);
    sections.push(mistakeSection(`${index + 1}. ${mistake.title}`, mistake, sound, findings));
  }
  return [INTRODUCTION, ...sections].join('\n\n') + '\n';
}

function mistakeSection(
  title: string,
  { text, edits, remedy }: Mistake,
  sound: PackageTexts,
  findings: readonly Finding[],
): string {
  const changes = edits.filter(({ right, wrong }) => wrong.replaceAll(MARK, '') !== right);
  return [
    `### ${title}`,
    text,
    ...fragments(applyEdits(sound, edits, ({ wrong }) => wrong.replaceAll(MARK, ''))),
    ['```', formatFindings(findings, { codes: findingCodes }), '```'].join('\n'),
    remedy,
    ...fragments(applyEdits(sound, changes, ({ right }) => right)),
  ].join('\n\n');
}

/** Of each file the lines that edits have touched. */
function fragments(edited: PackageTexts): readonly string[] {
  return [...edited].flatMap(([path, text]) => {
    const shown = touchedLines(text);
    const language = path.endsWith('.bpmn') ? 'xml' : 'yaml';
    return shown.length === 0 ? [] : [['```' + language, ...withoutIndentation(shown), '```'].join('\n')];
  });
}

/** With `…` where lines between are left out. What is empty, or ends with a line break, touches no line there. */
function touchedLines(text: string): readonly string[] {
  const shown: string[] = [];
  let isInside = false;
  let last = -1;
  for (const [index, line] of text.split('\n').entries()) {
    const isTouched = isInside ? !line.startsWith(TO) : line.includes(FROM) && !line.includes(FROM + TO);
    isInside = line.lastIndexOf(FROM) > line.lastIndexOf(TO) || (isInside && !line.includes(TO));
    if (!isTouched) continue;
    if (shown.length > 0 && index > last + 1) shown.push('…');
    shown.push(withoutBorders(line));
    last = index;
  }
  return shown;
}

function withoutBorders(text: string): string {
  return text.replaceAll(FROM, '').replaceAll(TO, '');
}

function withoutIndentation(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line !== '…').map((line) => line.search(/\S|$/));
  const width = Math.min(...indents);
  return lines.map((line) => (line === '…' ? line : line.slice(width)));
}

const INTRODUCTION = `# Lint

${GENERATED}

\`sutra lint <path…>\` checks packages as a deployment would, and finds besides what a deployment lets through: paths that
stop, joins that never fire, waits that nothing can answer. Each finding has a place, a code ([errors.md](errors.md)), a
sentence that says what is wrong, and what to do about it.

## What to check

- **A folder** is a package: all its files, its scenarios too, and how they fit together.
- **A file** is checked by itself, wherever it is: \`.bpmn\`, \`.dmn\`, a flow in YAML, \`channels.yaml\`, \`package.yaml\`. Nothing is
  said that another file of its package could put right: whether channels, schemas, decisions and called processes are
  there and fit, whether a bind has the labels of the package, whether a decision model that is imported is in the same
  folder. Where \`package.yaml\` decides (\`unbound-tasks\`, \`listeners\`), its defaults hold.
- **Several** are checked one after the other, and listed together.

\`--config <file>\` names the configuration of the engine that the package is meant for; then packages are held against
its ceilings too. Which registered functions the engine has, only the deployment knows.

## What comes out

\`--format text\`, the default: one line a finding, \`file:line:column severity code [element] sentence\`, below it the remedy of
the code where that says more, and in the end how many errors and warnings there are. Lines and columns begin at 1;
columns count characters. Colours are for terminals only, and not when \`NO_COLOR\` is set.

\`--format json\`:

| key | value |
| --- | --- |
| \`errorCount\`, \`warningCount\` | numbers |
| \`findings\` | in the order of the paths, files, lines and columns; each has the keys below |
| \`code\` | text, stable |
| \`severity\` | \`error\`: a deployment refuses the package; \`warning\`: it does not |
| \`message\` | text |
| \`remedy\` | text, or null when there is nothing more to say |
| \`place\` | \`file\` from the working directory, \`line\`, \`column\`, \`elementId\`, as far as there are such |

\`--format sarif\`: SARIF 2.1.0, which code scanners and editors read. The codes are its rules.

**Exit code** 0: no errors, and no more warnings than \`--max-warnings\` (0); 1: there are more; 2: the configuration is wrong.

\`\`\`
sutra lint packages/orders packages/billing --format sarif > lint.sarif
sutra lint bpmn/orders.bpmn --max-warnings 5
\`\`\`

## Twenty typical mistakes

They are made, one after the other, in a package whose process takes an order, has it scored and the goods reserved at the
same time, rates it, waits for the payment and confirms it. What is printed is what \`sutra lint .\` prints in the folder of
the package; what was there before the mistake stands below it.`;

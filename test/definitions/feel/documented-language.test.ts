/** `docs/feel.md`: its examples are what the language does, and its tables have all functions and warnings. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { settingRows, type SettingRow } from '../../../config/schema.ts';
import { Meter, TurnBudget, defaultCostLimits } from '../../../definitions/feel/budget.ts';
import { builtins, refusedBuiltins } from '../../../definitions/feel/builtins/index.ts';
import { Evaluation } from '../../../definitions/feel/compile/evaluation.ts';
import { namedTypes } from '../../../definitions/feel/compile/conformance.ts';
import { compileProgram } from '../../../definitions/feel/compile/program.ts';
import { sameValues } from '../../../definitions/feel/equality.ts';
import { parseExpression } from '../../../definitions/feel/parse-expression.ts';
import type { FeelFunction, FeelValue, Signature, WarningCode } from '../../../definitions/feel/runtime.ts';
import { NOW_MS, show } from './compile-run.ts';

const page = readFileSync(new URL('../../../docs/feel.md', import.meta.url), 'utf8');

interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function tablesOf(text: string): readonly Table[] {
  const blocks = text.match(/(?:^\|.*\n)+/gm) ?? [];
  return blocks.map((block) => {
    const [columns = [], , ...rows] = block.trim().split('\n').map(cellsOf);
    return { columns, rows };
  });
}

function cellsOf(line: string): readonly string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.replaceAll('\\|', '|').trim());
}

/** What stands between backquotes. */
function codesOf(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

function cellOf(table: Table, row: readonly string[], column: string): string {
  return row[table.columns.indexOf(column)] ?? '';
}

const tables = tablesOf(page);
const run = newRun();

function newRun(): Evaluation {
  return new Evaluation(new Meter(new TurnBudget(NOW_MS)));
}

function valueOf(text: string): FeelValue {
  return compileProgram(parseExpression(text), { builtins }).evaluate(newRun(), () => undefined);
}

/** `date(year, month, day)`, as the page writes it. */
function signatureText(name: string, { names, least = names.length, isVariadic = false }: Signature): string {
  const parameters = names.map((parameter, index) => (index < least ? parameter : `${parameter}?`));
  return `${name}(${parameters.join(', ')}${isVariadic ? '...' : ''})`;
}

function signaturesOf(name: string, { signatures }: FeelFunction): readonly string[] {
  // Functions of ranges take points and ranges, which the page says in another column.
  const isOfRanges = signatures.some(({ names }) => names.includes('range1'));
  return isOfRanges ? [`${name}(a, b)`] : signatures.map((signature) => signatureText(name, signature));
}

describe('docs/feel.md', () => {
  it('has examples that are what they say', () => {
    let count = 0;
    const wrong: string[] = [];
    for (const table of tables) {
      const column = table.columns.includes('example') ? 'example' : 'expression';
      if (!table.columns.includes(column)) continue;
      for (const row of table.rows) {
        const [example = ''] = codesOf(cellOf(table, row, column));
        const [expected = ''] = codesOf(cellOf(table, row, 'is'));
        count += 1;
        const value = valueOf(example);
        if (!sameValues(value, valueOf(expected), run))
          wrong.push(`${example} is ${show(value)}, not ${expected}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(count > 130, `only ${count} examples`);
  });

  it('writes values of all types so that they are of them', () => {
    const table = tables.find(({ columns: [first] }) => first === 'type');
    assert.ok(table !== undefined);
    const documented = table.rows.map(([type = '']) => codesOf(type)[0]?.replace(/<.*/, '') ?? '');
    const named = [...namedTypes.keys()].filter((name) => name !== 'Any');
    assert.deepEqual(documented.toSorted(), [...named, 'function'].toSorted());
    for (const [index, [, written = '']] of table.rows.entries()) {
      const type = documented[index] ?? '';
      const test = namedTypes.has(type) ? `instance of ${type}` : '!= null';
      for (const code of codesOf(written))
        assert.equal(valueOf(`(${code}) ${test}`), true, `${code} ${test}`);
    }
  });

  it('lists the built-in functions with their parameters, each once', () => {
    const documented = tables
      .filter(({ columns: [first] }) => first === 'function')
      .flatMap(({ rows }) => rows.flatMap(([cell = '']) => codesOf(cell)));
    const known = [...builtins].flatMap(([name, fn]) => signaturesOf(name, fn));
    assert.deepEqual(documented.toSorted(), known.toSorted());
  });

  it('says what functions of ranges take', () => {
    const shapes: Readonly<Record<string, string>> = {
      'point1, point2': 'p p',
      'point, range': 'p r',
      'range, point': 'r p',
      'range1, range2': 'r r',
    };
    const table = tables.find(({ columns }) => columns.includes('of') && columns.includes('function'));
    assert.ok(table !== undefined);
    for (const row of table.rows) {
      const name = codesOf(row[0] ?? '')[0]?.replace('(a, b)', '') ?? '';
      const taken = builtins.get(name)?.signatures.map(({ names }) => shapes[names.join(', ')]);
      assert.equal(cellOf(table, row, 'of'), taken?.join(', '), name);
    }
  });

  it('names the functions that are refused', () => {
    for (const name of refusedBuiltins.keys()) assert.ok(page.includes(`\`${name}()\` is refused`), name);
  });

  it('lists the codes of warnings', () => {
    const codes = {
      ARGUMENT: true,
      CALL: true,
      OPERAND: true,
      COMPARE: true,
      NAME: true,
      PROPERTY: true,
      INDEX: true,
      CONDITION: true,
      NUMBER: true,
    } satisfies Record<WarningCode, true>;
    const table = tables.find(({ columns: [first] }) => first === 'code');
    assert.deepEqual(
      table?.rows.flatMap(([cell = '']) => codesOf(cell)),
      Object.keys(codes),
    );
  });

  it('has the ceilings that hold by default', () => {
    const table = tables.find(({ columns: [first] }) => first === 'ceiling');
    const { iterations, listSize, depth, evaluationUnits, turnUnits } = defaultCostLimits;
    const limits = [iterations, listSize, depth, evaluationUnits, turnUnits];
    assert.deepEqual(
      table?.rows.map(([, value = '']) => Number(value.replaceAll(',', ''))),
      limits,
    );
    const settings: Readonly<Record<string, SettingRow>> = settingRows;
    assert.deepEqual(
      table.rows.map(([, , setting = '']) => settings[codesOf(setting)[0] ?? '']?.default),
      limits.map(String),
    );
  });
});

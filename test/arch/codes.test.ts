import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { readCodeTables } from '../../docs/code-tables.ts';
import { findStalePages } from '../../docs/generate.ts';
import { readSources, visitNodes } from './source-files.ts';
import type { Sources } from './source-files.ts';

const CODE = /^SUTRA(?:\.[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*){1,3}$/;
/** What looks like a code, well-formed or not; setting keys and the like are lower case. */
const CODE_LIKE = /^SUTRA\./;
const PRODUCT = /^(?:config|definitions|engine|channels|server|cli|worker|console)\//;

interface CodeUse {
  readonly code: string;
  readonly path: string;
  readonly line: number;
}

/** Every literal that is a code, outside the tables; and templates that would compose one. */
function findCodeUses(sources: Sources): CodeUse[] {
  const uses: CodeUse[] = [];
  for (const [path, text] of sources) {
    if (PRODUCT.test(path) && !path.endsWith('/codes.ts') && text.includes('SUTRA.')) {
      visitNodes(path, text, (node, line) => {
        const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node);
        if (isText && CODE_LIKE.test(node.text)) {
          uses.push({ code: node.text, path, line });
        }
      });
    }
  }
  return uses;
}

const tables = await readCodeTables();
const rows = tables.flatMap((table) => table.rows.map(([code, row]) => ({ code, row, path: table.path })));
const uses = findCodeUses(readSources());

describe('error codes', () => {
  test('there are tables with rows, and uses of them', () => {
    assert.ok(tables.length >= 5 && rows.length >= 30 && uses.length >= 30);
  });

  test('every code is SUTRA, an area and what it is about, in upper case', () => {
    assert.deepEqual(
      rows.filter(({ code }) => !CODE.test(code)),
      [],
    );
  });

  test('every code is in one table only', () => {
    const twice = rows.filter(({ code }, index) => rows.findIndex((other) => other.code === code) !== index);
    assert.deepEqual(
      twice.map(({ code, path }) => `${code} again in ${path}`),
      [],
    );
  });

  test('every row has a status, a meaning and a remedy that are sentences', () => {
    const wrong = rows.filter(
      ({ row }) =>
        !(row.httpStatus >= 400 && row.httpStatus <= 599) ||
        ![row.meaning, row.remedy].every((sentence) => /^\S.{15,}[.…]$/s.test(sentence)),
    );
    assert.deepEqual(
      wrong.map(({ code, row }) => [code, row.httpStatus, row.meaning, row.remedy]),
      [],
    );
  });

  test('every code in the sources is in a table', () => {
    const known = new Set(rows.map(({ code }) => code));
    assert.deepEqual(
      uses.filter(({ code }) => !known.has(code)).map(({ code, path, line }) => `${path}:${line} ${code}`),
      [],
    );
  });

  test('every code of a table is used outside it', () => {
    const used = new Set(uses.map(({ code }) => code));
    assert.deepEqual(
      rows.filter(({ code }) => !used.has(code)).map(({ code, path }) => `${code} of ${path}`),
      [],
    );
  });

  test('a seeded code that is in no table, and a composed one, are seen', () => {
    const text =
      "throw new EngineError('SUTRA.NOT.THERE', ''); const x = `SUTRA.TASK.${y}`; // 'SUTRA.IN.COMMENT'";
    const seeded = findCodeUses(new Map([['engine/intake/a.ts', text]]));
    assert.deepEqual(
      seeded.map(({ code }) => code),
      ['SUTRA.NOT.THERE', 'SUTRA.TASK.'],
    );
  });

  test('the generated pages of docs/ are what the tables say', async () => {
    assert.deepEqual(await findStalePages(), []);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { CodeTable, Finding } from '../../config/engine-error.ts';
import { findingCodes } from '../../definitions/finding-codes.ts';
import {
  countFindings,
  formatFindings,
  formatFindingsJson,
  remedyOf,
} from '../../definitions/lint-format.ts';
import { readCodeTables } from '../../docs/code-tables.ts';

const codes: CodeTable = {
  'SUTRA.X': { httpStatus: 422, retry: 'never', meaning: 'It is wrong.', remedy: 'Make it right.' },
  'SUTRA.Y': {
    httpStatus: 422,
    retry: 'never',
    meaning: 'It is wrong.',
    remedy: 'Nothing was deployed. Correct the file at the reported line and column, then deploy again.',
  },
};

const finding: Finding = {
  code: 'SUTRA.X',
  severity: 'error',
  message: 'Wrong.',
  place: { file: 'bpmn/a.bpmn', line: 1, column: 2, elementId: 'task' },
};
const warning: Finding = { ...finding, code: 'SUTRA.Y', severity: 'warning' };

describe('findings as text', () => {
  const rows: readonly (readonly [title: string, findings: readonly Finding[], text: string])[] = [
    ['nothing', [], '0 errors, 0 warnings'],
    ['one', [finding], 'bpmn/a.bpmn:1:2 error SUTRA.X [task] Wrong.\n1 error, 0 warnings'],
    [
      'what has less of a place',
      [
        { ...finding, place: { file: 'a.txt' } },
        { ...warning, place: {} },
      ],
      'a.txt error SUTRA.X Wrong.\n(package) warning SUTRA.Y Wrong.\n1 error, 1 warning',
    ],
    [
      'several',
      [finding, finding, warning, warning],
      [
        ...['error SUTRA.X', 'error SUTRA.X', 'warning SUTRA.Y', 'warning SUTRA.Y'].map(
          (what) => `bpmn/a.bpmn:1:2 ${what} [task] Wrong.`,
        ),
        '2 errors, 2 warnings',
      ].join('\n'),
    ],
  ];
  for (const [title, findings, text] of rows) {
    it(`are a line each and a summary: ${title}`, () => assert.equal(formatFindings(findings), text));
  }

  it('have the remedy of the code below them, unless it says nothing more', () => {
    assert.equal(
      formatFindings([finding, warning], { codes }),
      [
        'bpmn/a.bpmn:1:2 error SUTRA.X [task] Wrong.',
        '    Make it right.',
        'bpmn/a.bpmn:1:2 warning SUTRA.Y [task] Wrong.',
        '1 error, 1 warning',
      ].join('\n'),
    );
  });

  it('do not say twice what to do', () => {
    const saying = { ...finding, message: 'it is wrong; make it right' };
    const own = { ...finding, code: 'SUTRA.LINT.DEAD_END' };
    assert.equal(
      formatFindings([saying, own], { codes: { ...codes, ...findingCodes } }),
      [
        'bpmn/a.bpmn:1:2 error SUTRA.X [task] it is wrong; make it right',
        'bpmn/a.bpmn:1:2 error SUTRA.LINT.DEAD_END [task] Wrong.',
        '2 errors, 0 warnings',
      ].join('\n'),
    );
  });

  it('are coloured only where it is asked for', () => {
    assert.equal(
      formatFindings([finding, warning], { isColoured: true }),
      [
        'bpmn/a.bpmn:1:2 \u001b[31merror\u001b[39m SUTRA.X [task] Wrong.',
        'bpmn/a.bpmn:1:2 \u001b[33mwarning\u001b[39m SUTRA.Y [task] Wrong.',
        '1 error, 1 warning',
      ].join('\n'),
    );
  });

  it('are one line each whatever they say, and send nothing to a terminal (T1, T2)', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\n', '\r', '\u001b', '\u2028', '\u0085', ' ') });
    fc.assert(
      fc.property(text, text, text, (message, file, elementId) => {
        const lines = formatFindings([{ ...finding, message, place: { file, elementId } }]).split('\n');
        assert.equal(lines.length, 2);
        assert.doesNotMatch(lines.join(''), /[\p{Cc}\u2028\u2029]/u);
      }),
    );
  });
});

describe('findings as JSON', () => {
  it('are counted, and have their remedies and places', () => {
    assert.deepEqual(JSON.parse(formatFindingsJson([finding, warning], codes)), {
      errorCount: 1,
      warningCount: 1,
      findings: [
        { ...finding, remedy: 'Make it right.' },
        { ...warning, remedy: null },
      ],
    });
    assert.deepEqual(countFindings([]), { errorCount: 0, warningCount: 0 });
  });
});

describe('the codes of findings', () => {
  it('are those of all tables of definitions', async () => {
    const tables = (await readCodeTables()).filter(({ folder }) => folder.startsWith('definitions'));
    assert.ok(tables.length >= 6);
    assert.deepEqual(new Map(Object.entries(findingCodes)), new Map(tables.flatMap(({ rows }) => rows)));
  });

  it('have remedies that are sentences, and do not speak of what was not asked for', () => {
    const remedies = Object.keys(findingCodes).map((code) => remedyOf(code, findingCodes));
    const said = remedies.filter((remedy) => remedy !== null);
    assert.ok(said.length > 100);
    assert.deepEqual(
      said.filter((remedy) => !/^[A-Z<].*[.…]$/s.test(remedy) || remedy.includes('Nothing was deployed')),
      [],
    );
    assert.equal(remedyOf('SUTRA.Y', codes), null);
    assert.equal(remedyOf('toString', codes), null);
  });
});

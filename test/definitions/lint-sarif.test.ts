import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import type { Finding } from '../../config/engine-error.ts';
import { findingCodes } from '../../definitions/finding-codes.ts';
import { formatFindingsSarif } from '../../definitions/lint-sarif.ts';

// The package is CommonJS: its typings wrap the function once more than Node does.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => Ajv2020;

/** An object of the schema of SARIF 2.1.0 that has no properties but the listed ones. */
const object = (required: readonly string[], properties: Record<string, unknown>): unknown => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
});
const message = object([], { text: { type: 'string', minLength: 1 } });
const number = { type: 'integer', minimum: 1 };

/** What of the schema concerns the parts that are written; the names of its other properties are left out. */
const sarifSchema = object(['version', 'runs'], {
  $schema: { type: 'string', format: 'uri' },
  version: { enum: ['2.1.0'] },
  runs: {
    type: 'array',
    items: object(['tool'], {
      tool: object(['driver'], {
        driver: object(['name'], {
          name: { type: 'string' },
          version: { type: 'string' },
          rules: {
            type: 'array',
            uniqueItems: true,
            items: object(['id'], {
              id: { type: 'string' },
              shortDescription: message,
              help: message,
            }),
          },
        }),
      }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      results: {
        type: 'array',
        items: object(['message'], {
          ruleId: { type: 'string' },
          ruleIndex: { type: 'integer', minimum: 0 },
          level: { enum: ['none', 'note', 'warning', 'error'] },
          message,
          locations: {
            type: 'array',
            items: object([], {
              physicalLocation: object(['artifactLocation'], {
                artifactLocation: object([], { uri: { type: 'string', format: 'uri-reference' } }),
                region: object([], { startLine: number, startColumn: number }),
              }),
              logicalLocations: {
                type: 'array',
                items: object([], { name: { type: 'string' }, kind: { type: 'string' } }),
              },
            }),
          },
        }),
      },
    }),
  },
});

interface Sarif {
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly {
        readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
      }[];
    }[];
  }[];
}

const validate = addFormats(new Ajv2020({ allErrors: true })).compile<Sarif>(sarifSchema as object);

/** Checked against the schema. */
function sarifOf(findings: readonly Finding[]): Sarif['runs'][number] {
  const sarif: unknown = JSON.parse(formatFindingsSarif(findings, { codes: findingCodes, version: '1.2.3' }));
  assert.ok(validate(sarif), JSON.stringify(validate.errors));
  const [run] = sarif.runs;
  assert.ok(run !== undefined && sarif.runs.length === 1);
  return run;
}

const error: Finding = {
  code: 'SUTRA.BPMN.CONDITION_MISSING',
  severity: 'error',
  message: 'the flow "a" has no condition',
  place: { file: 'bpmn/a.bpmn', line: 12, column: 5, elementId: 'a' },
};
const warning: Finding = {
  code: 'SUTRA.PACKAGE.FILE_UNUSED',
  severity: 'warning',
  message: 'notes.txt is not read.',
  place: { file: 'notes.txt' },
};

describe('findings as SARIF', () => {
  it('are a run without results when there are none', () => {
    const { tool, results } = sarifOf([]);
    assert.deepEqual([tool.driver.rules, results], [[], []]);
  });

  it('name their rules, each once, by id and index (S1)', () => {
    const { tool, results } = sarifOf([warning, error, warning, { ...error, code: 'SUTRA.NOT.KNOWN' }]);
    const ids = tool.driver.rules.map(({ id }) => id);
    assert.deepEqual(ids, [error.code, 'SUTRA.NOT.KNOWN', warning.code]);
    assert.deepEqual(
      results.map(({ ruleId, ruleIndex, level }) => [ruleId, ids[ruleIndex], level]),
      [
        [warning.code, warning.code, 'warning'],
        [error.code, error.code, 'error'],
        [warning.code, warning.code, 'warning'],
        ['SUTRA.NOT.KNOWN', 'SUTRA.NOT.KNOWN', 'error'],
      ],
    );
  });

  it('explain their rules from the table of codes', () => {
    const [rule] = sarifOf([error]).tool.driver.rules;
    assert.deepEqual(rule, {
      id: error.code,
      shortDescription: { text: findingCodes[error.code]?.meaning },
      help: { text: 'Add a condition or make the flow the default.' },
    });
  });

  it('have one location: file, region and element, as far as they are known (S2)', () => {
    const locations = [error, warning, { ...warning, place: {} }].map((finding) => {
      return sarifOf([finding]).results[0]?.locations;
    });
    assert.deepEqual(locations, [
      [
        {
          physicalLocation: {
            artifactLocation: { uri: 'bpmn/a.bpmn' },
            region: { startLine: 12, startColumn: 5 },
          },
          logicalLocations: [{ name: 'a', kind: 'element' }],
        },
      ],
      [{ physicalLocation: { artifactLocation: { uri: 'notes.txt' } } }],
      [{ physicalLocation: { artifactLocation: { uri: '.' } } }],
    ]);
  });

  for (const [path, uri] of [
    ['a b/ö:#?.bpmn', 'a%20b/%C3%B6%3A%23%3F.bpmn'],
    ['c:x.bpmn', 'c%3Ax.bpmn'],
    ['../up.bpmn', '../up.bpmn'],
    ['/srv/my package/a.bpmn', 'file:///srv/my%20package/a.bpmn'],
  ] as const) {
    it(`write the path ${path} as a URI (S3)`, () => {
      const [result] = sarifOf([{ ...error, place: { file: path } }]).results;
      assert.equal(result?.locations[0]?.physicalLocation.artifactLocation.uri, uri);
    });
  }

  it('that are not as the schema wants them are seen by this test', () => {
    const unplaced: Finding = { ...error, place: { line: 0 } };
    const sarif = JSON.parse(formatFindingsSarif([unplaced], { codes: {}, version: '1' })) as unknown;
    assert.equal(validate(sarif), false);
    assert.equal(validate({ version: '2.1.0' }), false);
  });
});

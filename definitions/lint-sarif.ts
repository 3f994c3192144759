/**
 * Findings as SARIF 2.1.0, which code scanners and editors read.
 *
 * S1 Each code that occurs is one rule, and each finding names its rule by id and index.
 * S2 Each finding has one location: its file, else the package.
 * S3 Files are URIs: relative to the working directory, or `file:` for an absolute path. Nothing else of the machine
 *    is in it.
 *
 * Source: OASIS, Static Analysis Results Interchange Format (SARIF) 2.1.0.
 */
import type { CodeTable, Finding, Place } from '../config/engine-error.ts';
import { remedyOf } from './lint-format.ts';

export interface SarifOptions {
  readonly codes: CodeTable;
  /** Of the program that found them. */
  readonly version: string;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

/** SARIF's own words. */
const levels = { error: 'error', warning: 'warning' } as const satisfies Record<Finding['severity'], string>;

export function formatFindingsSarif(findings: readonly Finding[], options: SarifOptions): string {
  const { version, codes: table } = options;
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const driver = {
    name: 'sutra',
    version,
    rules: codes.map((code) => ruleOf(code, table)),
  };
  const run = {
    tool: { driver },
    // As in all places of ours.
    columnKind: 'unicodeCodePoints',
    results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code))),
  };
  return JSON.stringify({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, null, 2);
}

function ruleOf(code: string, codes: CodeTable): unknown {
  const row = Object.hasOwn(codes, code) ? codes[code] : undefined;
  const remedy = remedyOf(code, codes);
  return {
    id: code,
    shortDescription: { text: row?.meaning ?? code },
    ...(remedy === null ? {} : { help: { text: remedy } }),
  };
}

function resultOf({ code, severity, message, place }: Finding, ruleIndex: number): unknown {
  return {
    ruleId: code,
    ruleIndex,
    level: levels[severity],
    message: { text: message },
    locations: [locationOf(place)],
  };
}

function locationOf({ file, line, column, elementId }: Place): unknown {
  const region = line === undefined ? undefined : { startLine: line, startColumn: column ?? 1 };
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file ?? '.') },
      ...(region === undefined ? {} : { region }),
    },
    ...(elementId === undefined ? {} : { logicalLocations: [{ name: elementId, kind: 'element' }] }),
  };
}

/** S3. A path is with `/`, as everywhere in a package. */
function uriOf(path: string): string {
  const uri = path.split('/').map(encodeURIComponent).join('/');
  if (path.startsWith('/')) return `file://${uri}`;
  // A first segment with a colon would be read as a scheme; encodeURIComponent has escaped it.
  return uri;
}

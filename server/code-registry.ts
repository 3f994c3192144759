/** All error codes of the product in one table: what a code means and which HTTP status it answers. */
import { httpChannelCodes } from '../channels/http/codes.ts';
import { pullCodes } from '../channels/pull/codes.ts';
import { compatCodes } from '../channels/pull/compat/codes.ts';
import { configCodes } from '../config/codes.ts';
import type { CodeRow, CodeTable } from '../config/engine-error.ts';
import { bpmnCodes } from '../definitions/bpmn/codes.ts';
import { channelsCodes } from '../definitions/channels/codes.ts';
import { definitionsCodes } from '../definitions/codes.ts';
import { dialectCodes } from '../definitions/dialects/codes.ts';
import { dmnCodes } from '../definitions/dmn/codes.ts';
import { flowsCodes } from '../definitions/flows/codes.ts';
import { lintCodes } from '../definitions/lint-checks/codes.ts';
import { scenarioCodes } from '../definitions/scenarios/codes.ts';
import { xmlCodes } from '../definitions/xml/codes.ts';
import { coreCodes } from '../engine/core/codes.ts';
import { InvariantError } from '../engine/core/invariant-error.ts';
import { deploymentCodes } from '../engine/deployments/codes.ts';
import { intakeCodes } from '../engine/intake/codes.ts';
import { relayCodes } from '../engine/relay/codes.ts';
import { storeCodes } from '../engine/store/codes.ts';
import { serverCodes } from './codes.ts';

/** One folder's table, under the folder's name: the order is the order of `docs/errors.md`. */
export const codeTables: ReadonlyArray<readonly [folder: string, table: CodeTable]> = [
  ['config', configCodes],
  ['definitions', definitionsCodes],
  ['definitions/xml', xmlCodes],
  ['definitions/bpmn', bpmnCodes],
  ['definitions/dialects', dialectCodes],
  ['definitions/dmn', dmnCodes],
  ['definitions/flows', flowsCodes],
  ['definitions/channels', channelsCodes],
  ['definitions/lint-checks', lintCodes],
  ['definitions/scenarios', scenarioCodes],
  ['engine/core', coreCodes],
  ['engine/store', storeCodes],
  ['engine/intake', intakeCodes],
  ['engine/relay', relayCodes],
  ['engine/deployments', deploymentCodes],
  ['channels/pull', pullCodes],
  ['channels/pull/compat', compatCodes],
  ['channels/http', httpChannelCodes],
  ['server', serverCodes],
];

function mergeTables(): ReadonlyMap<string, CodeRow> {
  const rows = new Map<string, CodeRow>();
  for (const [folder, table] of codeTables) {
    for (const [code, row] of Object.entries(table)) {
      if (rows.has(code)) throw new InvariantError(`code ${code} of ${folder} is declared twice`);
      rows.set(code, row);
    }
  }
  return rows;
}

export const codeRegistry: ReadonlyMap<string, CodeRow> = mergeTables();

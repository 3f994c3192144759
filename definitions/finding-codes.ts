/** The codes that findings have, of all parts that read a package, for those who print them with their remedies. */
import type { CodeTable } from '../config/engine-error.ts';
import { bpmnCodes } from './bpmn/codes.ts';
import { channelsCodes } from './channels/codes.ts';
import { definitionsCodes } from './codes.ts';
import { dialectCodes } from './dialects/codes.ts';
import { dmnCodes } from './dmn/codes.ts';
import { flowsCodes } from './flows/codes.ts';
import { lintCodes } from './lint-checks/codes.ts';
import { scenarioCodes } from './scenarios/codes.ts';
import { xmlCodes } from './xml/codes.ts';

export const findingCodes: CodeTable = {
  ...definitionsCodes,
  ...bpmnCodes,
  ...channelsCodes,
  ...dialectCodes,
  ...dmnCodes,
  ...flowsCodes,
  ...lintCodes,
  ...scenarioCodes,
  ...xmlCodes,
};

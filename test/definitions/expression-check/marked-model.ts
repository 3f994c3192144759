/** Models of which tests check the expressions, put together from their parts. */
import { it } from 'node:test';
import { assertFindings, type PackageParts } from './marked-package.ts';

export type Row = readonly [
  title: string,
  parts: PackageParts,
  expected: readonly string[],
  message?: RegExp,
];

/** A test for each row. */
export function each(rows: readonly Row[]): void {
  for (const [title, parts, expected, message] of rows) {
    it(title, () => assertFindings(parts, expected, message));
  }
}

/** In the extension elements. */
export const inside = (text: string): string => `<extensionElements>${text}</extensionElements>`;
export const flow = (id: string, from: string, to: string, condition?: string): string =>
  condition === undefined
    ? `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`
    : `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}">
  <conditionExpression>${condition}</conditionExpression></sequenceFlow>`;

/** Begins with a message of the channel, and goes on to `n`. */
export const started = (
  rest: string,
  { channel = 'orders', variable = 'order', alias = '', variables = '' } = {},
): PackageParts => ({
  model: `<process id="p" isExecutable="true">${variables}
<startEvent id="s">${inside(`<q:source channel="${channel}" name="${variable}"/>${alias}`)}<messageEventDefinition/></startEvent>
${flow('f', 's', 'n')}
${rest}</process>`,
});

/** Decides by a condition. */
export const decided = (condition: string, before = '', options = {}): PackageParts =>
  started(
    `${before === '' ? '' : `${before.replaceAll('#', 'n')}${flow('b', 'n', 'g')}`}
<exclusiveGateway id="${before === '' ? 'n' : 'g'}" default="no"/>
${flow('yes', before === '' ? 'n' : 'g', 'e', condition)}
${flow('no', before === '' ? 'n' : 'g', 'e')}<endEvent id="e"/>`,
    options,
  );

/** `#` stands for the id of the node. */
export const script = (text: string, output = ''): string =>
  `<scriptTask id="#" scriptFormat="feel">${output === '' ? '' : inside(`<q:output variable="${output}"/>`)}<script>${text}</script></scriptTask>`;
export const call = (parts: string): string =>
  `<serviceTask id="#" implementation="channel:work">${inside(parts)}</serviceTask>`;
export const NAME = 'FEEL.NAME_UNKNOWN';
export const PATH = 'FEEL.PATH_UNKNOWN';
export const TYPE = 'FEEL.TYPE_MISMATCH';

export const alias = (expression: string): string => `<q:alias name="key" expression="${expression}"/>`;

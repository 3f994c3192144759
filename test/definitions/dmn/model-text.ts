/** Writes small DMN files for tables of tests. */
import { readDmn, type DmnResult } from '../../../definitions/dmn/read-dmn.ts';
import type { DmnModel } from '../../../definitions/dmn/model.ts';

/** Of DMN 1.1 to 1.5. */
export const dmnNamespaces = {
  '1.1': 'http://www.omg.org/spec/DMN/20151101/dmn.xsd',
  '1.2': 'http://www.omg.org/spec/DMN/20180521/MODEL/',
  '1.3': 'https://www.omg.org/spec/DMN/20191111/MODEL/',
  '1.4': 'https://www.omg.org/spec/DMN/20211108/MODEL/',
  '1.5': 'https://www.omg.org/spec/DMN/20230324/MODEL/',
} as const;

/** A model with `inside`, on its second line. Default namespace DMN 1.5; other prefixes that tests need are declared. */
export function modelText(inside: string, attributes = ''): string {
  return `<definitions xmlns="${dmnNamespaces['1.5']}" xmlns:camunda="http://camunda.org/schema/1.0/dmn" xmlns:feel="https://www.omg.org/spec/DMN/20230324/FEEL/" name="Test" namespace="urn:test"${attributes}>
${inside}
</definitions>`;
}

/** A model whose one decision has the logic. */
export function decisionText(logic: string): string {
  return modelText(`<decision id="d" name="D">${logic}</decision>`);
}

/** An expression. */
export function literal(text: string): string {
  return `<literalExpression><text>${text}</text></literalExpression>`;
}

export function readText(text: string, file = 'rules/test.dmn'): DmnResult {
  return readDmn(file, new TextEncoder().encode(text));
}

/** @throws when it has a fault */
export function modelOf(text: string, file?: string): DmnModel {
  const { model, findings } = readText(text, file);
  const faults = findings.filter(({ severity }) => severity === 'error');
  if (model === null || faults.length > 0) throw new Error(JSON.stringify(faults, null, 1));
  return model;
}

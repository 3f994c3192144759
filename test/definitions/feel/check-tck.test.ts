/** No false alarm: what has a result in the DMN TCK has no error, with the types that its models declare. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  checkExpression,
  checkUnaryTests,
  type CheckScope,
  type FeelFinding,
} from '../../../definitions/feel/check/check-expression.ts';
import {
  anyType,
  listOf,
  staticTypeOf,
  type StaticType,
} from '../../../definitions/feel/check/static-type.ts';
import { namedTypes } from '../../../definitions/feel/compile/conformance.ts';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import { attributeOf, type XmlElement } from '../../../definitions/xml/document.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import { recordEvidence } from '../../support/evidence.ts';
import { readTckFolders, type TckFolder } from '../dmn/tck-cases.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const tck = `${corpus}/dmn-tck`;

/** Decisions that this engine does not decide as the TCK has it, by file and name. */
const exceptions = new Set(
  readFileSync(new URL('../dmn/tck-exceptions.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t')[3]),
);

const expressionElements = ['literalExpression', 'inputExpression', 'outputEntry', 'defaultOutputEntry'];
const testElements = ['inputEntry', 'inputValues', 'outputValues', 'allowedValues'];

/** Decisions with a result, of one model. Null stands for the results of decision services. */
function decided({ suites }: TckFolder, modelFile: string): ReadonlySet<string | null> {
  const cases = suites.filter((suite) => suite.modelFile === modelFile).flatMap((suite) => suite.cases);
  return new Set(
    cases.flatMap(({ service, results }) =>
      results.flatMap(({ name, expected }) => (expected === null ? [] : [service === null ? name : null])),
    ),
  );
}

const childrenOf = (element: XmlElement, localName: string): readonly XmlElement[] =>
  element.children.filter((child) => child.localName === localName);

/** The types of a model by their names. */
class Types {
  readonly #items: ReadonlyMap<string, XmlElement>;

  constructor(root: XmlElement) {
    this.#items = new Map(
      childrenOf(root, 'itemDefinition').map((item) => [attributeOf(item, 'name') ?? '', item]),
    );
  }

  named(reference: string | undefined): StaticType {
    const name = reference?.trim().replace(/^feel:/, '') ?? 'Any';
    const item = this.#items.get(name);
    if (item !== undefined) return this.#ofItem(item);
    const type = namedTypes.get(name.replace('dateTime', 'date and time'));
    return type === undefined ? anyType : staticTypeOf(type);
  }

  #ofItem(item: XmlElement): StaticType {
    const components = childrenOf(item, 'itemComponent');
    const type: StaticType =
      components.length === 0
        ? this.named(childrenOf(item, 'typeRef')[0]?.text ?? attributeOf(item, 'typeRef') ?? undefined)
        : {
            kind: 'context',
            entries: new Map(
              components.map((part) => [attributeOf(part, 'name') ?? '', this.#ofItem(part)] as const),
            ),
            others: 'unlikely',
          };
    return attributeOf(item, 'isCollection') === 'true' ? listOf(type) : type;
  }
}

/** What is declared with a type, in a model. Functions and iterators are, too, but not with the type of their value. */
const typedElements = ['variable', 'formalParameter', 'parameter'];
const functionElements = ['businessKnowledgeModel', 'decisionService'];

/** All names of a model but those in its types. One that stands for several things may be anything. */
function namesOf(root: XmlElement, types: Types): ReadonlyMap<string, StaticType> {
  const names = new Map<string, StaticType>();
  const declare = (name: string, type: StaticType): void => {
    const known = names.get(name) ?? type;
    names.set(name, JSON.stringify(known) === JSON.stringify(type) ? type : anyType);
  };
  const rest: string[] = [];
  const visit = (element: XmlElement, parent: XmlElement): void => {
    if (element.localName === 'itemDefinition') return;
    const name = attributeOf(element, 'name') ?? attributeOf(element, 'iteratorVariable');
    const isTyped = typedElements.includes(element.localName) && !functionElements.includes(parent.localName);
    if (name !== null && isTyped) declare(name, types.named(attributeOf(element, 'typeRef') ?? undefined));
    else if (name !== null) rest.push(name);
    element.children.forEach((child) => visit(child, element));
  };
  visit(root, root);
  for (const name of rest) names.set(name, names.get(name) ?? anyType);
  return names;
}

interface Checked {
  readonly decision: string | null;
  readonly text: string;
  readonly findings: readonly FeelFinding[];
}

function checkModel(root: XmlElement): readonly Checked[] {
  const types = new Types(root);
  const names = namesOf(root, types);
  const knownNames: string[] = [];
  const scope: CheckScope = {
    names,
    unknownNames: 'error',
    mayHoldFunctions: true,
    types: () => ({ kind: 'any' }),
  };
  const checked: Checked[] = [];
  const visit = (element: XmlElement, decision: string | null): void => {
    const name = attributeOf(element, 'name');
    const inside = element.localName === 'decision' ? name : decision;
    for (const child of element.children) {
      const { text } = child;
      const isTests = testElements.includes(element.localName);
      if (child.localName === 'text' && text.trim() !== '') {
        if (isTests) {
          const findings = checkUnaryTests(parseUnaryTests(text, { knownNames }), anyType, scope);
          checked.push({ decision: inside, text, findings });
        } else if (expressionElements.includes(element.localName)) {
          const { findings } = checkExpression(parseExpression(text, { knownNames }), scope);
          checked.push({ decision: inside, text, findings });
        }
      }
      visit(child, inside);
    }
  };
  const collect = (element: XmlElement): void => {
    const name = attributeOf(element, 'name');
    if (name !== null) knownNames.push(name);
    element.children.forEach(collect);
  };
  collect(root);
  visit(root, null);
  return checked;
}

if (existsSync(tck)) {
  describe('the expressions of the DMN TCK', () => {
    it('have no error where there is a result', () => {
      let [checkedCount, errorCount] = [0, 0];
      const falseAlarms: string[] = [];
      for (const folder of readTckFolders(tck)) {
        for (const model of folder.models) {
          const { document } = readXml(model);
          assert.ok(document !== null, model.path);
          const withResult = decided(folder, model.path);
          for (const { decision, text, findings } of checkModel(document.root)) {
            const errors = findings.filter(({ severity }) => severity === 'error');
            if (decision !== null && !withResult.has(decision) && !withResult.has(null)) {
              if (errors.length > 0) errorCount += 1;
              continue;
            }
            checkedCount += 1;
            if (errors.length > 0 && !exceptions.has(decision ?? ''))
              falseAlarms.push(`${model.path} ${decision ?? ''}: ${text} ${JSON.stringify(errors)}`);
          }
        }
      }
      assert.deepEqual(falseAlarms, []);
      assert.ok(checkedCount > 1_600, `only ${checkedCount} expressions`);
      // And most of those that have none are found.
      assert.ok(errorCount > 170, `${errorCount} expressions without a result have an error`);
      recordEvidence('corpus');
    });
  });
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Finding } from '../../../config/engine-error.ts';
import { compileItemTypes } from '../../../definitions/dmn/compile-item-types.ts';
import type { ItemType } from '../../../definitions/dmn/item-types.ts';
import type { DmnModel, TypeReference } from '../../../definitions/dmn/model.ts';
import type { FeelType } from '../../../definitions/feel/compile/conformance.ts';
import type { KnownNames } from '../../../definitions/feel/parse-names.ts';
import { outline, readMarks } from '../bpmn/marked-file.ts';
import { show, run } from '../feel/compile-run.ts';
import { dmnNamespaces, modelOf, modelText } from './model-text.ts';

interface Resolved {
  readonly type: ItemType;
  readonly findings: readonly Finding[];
}

/** What a text stands for where a model names a type. */
function resolve(text: string, model: DmnModel, others: readonly DmnModel[] = []): Resolved {
  const { byModel, findings } = compileItemTypes([model, ...others]);
  const all = [...findings];
  const place = { line: 7, column: 9 };
  const type = byModel.get(model)?.resolve({ text, place }, (finding) => all.push(finding));
  assert.ok(type !== undefined);
  return { type, findings: all };
}

function items(inside: string): DmnModel {
  return modelOf(modelText(inside));
}

function item(name: string, type: string, attributes = ''): string {
  return `<itemDefinition name="${name}"${attributes}><typeRef>${type}</typeRef></itemDefinition>`;
}

function component(name: string, type: string, attributes = ''): string {
  return `<itemComponent name="${name}"${attributes}><typeRef>${type}</typeRef></itemComponent>`;
}

const COLLECTION = ' isCollection="true"';

/** `{a: number, b: [string]}`; what is deeper than four is not written. */
function written(type: FeelType, depth = 0): string {
  const isSimple = !['list', 'range', 'context', 'function'].includes(type.kind);
  if (depth > 4 && !isSimple) return '…';
  switch (type.kind) {
    case 'list':
      return `[${written(type.element, depth + 1)}]`;
    case 'range':
      return `range<${written(type.element, depth + 1)}>`;
    case 'context':
      return `{${[...type.entries].map(([name, entry]) => `${name}: ${written(entry, depth + 1)}`).join(', ')}}`;
    case 'function':
      return `(${type.parameters.map((parameter) => written(parameter, depth + 1)).join(', ')}) -> ${written(type.result, depth + 1)}`;
    default:
      return type.kind;
  }
}

/** `{a, b: {c}}`; deeper than three it is not written. */
function names(known: KnownNames | null, depth = 0): string {
  if (known === null) return '';
  if (depth > 3) return '…';
  const inside = [...known].map(([name, inner]) =>
    inner === null ? name : `${name}: ${names(inner, depth + 1)}`,
  );
  return `{${inside.join(', ')}}`;
}

describe('types of FEEL by their names', () => {
  const rows: readonly (readonly [text: string, type: string])[] = [
    ['string', 'string'],
    ['number', 'number'],
    ['boolean', 'boolean'],
    ['Any', 'any'],
    ['any', 'any'],
    ['date', 'date'],
    ['time', 'time'],
    ['date and time', 'date-time'],
    ['dateTime', 'date-time'],
    ['days and time duration', 'days-time-duration'],
    ['dayTimeDuration', 'days-time-duration'],
    ['years and months duration', 'years-months-duration'],
    ['yearMonthDuration', 'years-months-duration'],
    ['list', '[any]'],
    ['context', '{}'],
    ['feel:string', 'string'],
    ['feel:date and time', 'date-time'],
    ['feel:dateTime', 'date-time'],
  ];
  for (const [text, expected] of rows) {
    test(text, () => {
      const { type, findings } = resolve(text, items(''));
      assert.deepEqual([written(type.feelType), findings], [expected, []]);
    });
  }

  test('are the same objects each time', () => {
    assert.equal(resolve('number', items('')).type, resolve('feel:number', items('')).type);
  });
});

describe('item definitions', () => {
  const rows: readonly (readonly [
    title: string,
    inside: string,
    name: string,
    type: string,
    known: string,
  ])[] = [
    ['of a type', item('t', 'number'), 't', 'number', ''],
    ['of nothing', '<itemDefinition name="t"/>', 't', 'any', ''],
    [
      'of another one, in any order',
      item('t', 'u') + item('u', 'v') + item('v', 'string'),
      't',
      'string',
      '',
    ],
    ['of a list', item('t', 'number', COLLECTION), 't', '[number]', ''],
    [
      'of a list of lists',
      item('t', 'u', COLLECTION) + item('u', 'number', COLLECTION),
      't',
      '[[number]]',
      '',
    ],
    ['of a list of anything', '<itemDefinition name="t" isCollection="true"/>', 't', '[any]', ''],
    [
      'of components',
      `<itemDefinition name="t">${component('first name', 'string')}${component('u', 'u')}</itemDefinition>${item('u', 'number')}`,
      't',
      '{first name: string, u: number}',
      '{first name, u}',
    ],
    [
      'of components in components, and lists of such',
      `<itemDefinition name="t"${COLLECTION}><itemComponent name="a" isCollection="true">${component('b', 'u')}</itemComponent></itemDefinition>
<itemDefinition name="u">${component('c', 'date', COLLECTION)}</itemDefinition>`,
      't',
      '[{a: [{b: {c: …}}]}]',
      '{a: {b: {c}}}',
    ],
    [
      'of a function, whose names are those of its result',
      `<itemDefinition name="t"><functionItem outputTypeRef="u"><parameters name="p" typeRef="number"/><parameters name="q"/></functionItem></itemDefinition>
<itemDefinition name="u">${component('c', 'date')}</itemDefinition>`,
      't',
      '(number, any) -> {c: date}',
      '{c}',
    ],
    [
      'whose names have dots, blanks and signs',
      `<itemDefinition name="A 2.x">${component('a-b', 'A/3')}</itemDefinition>${item('A/3', 'number')}`,
      'A 2.x',
      '{a-b: number}',
      '{a-b}',
    ],
    [
      'of a tree',
      `<itemDefinition name="t">${component('value', 'number')}${component('children', 't', COLLECTION)}</itemDefinition>`,
      't',
      '{value: number, children: [{value: number, children: [{value: number, children: …}]}]}',
      '{value, children: {value, children: {value, children: {value, children: …}}}}',
    ],
    [
      'that are in each other',
      `<itemDefinition name="t">${component('u', 'alias')}</itemDefinition>${item('alias', 'u')}<itemDefinition name="u">${component('t', 't')}</itemDefinition>`,
      'alias',
      '{t: {u: {t: {u: {t: …}}}}}',
      '{t: {u: {t: {u: …}}}}',
    ],
    ['of lists of nothing but themselves', item('t', 't', COLLECTION), 't', '[[[[[…]]]]]', ''],
    [
      'called as a list is',
      `<itemDefinition name="list">${component('a', 'list')}</itemDefinition>`,
      'list',
      '{a: {a: {a: {a: {a: …}}}}}',
      '{a: {a: {a: {a: …}}}}',
    ],
  ];
  for (const [title, inside, name, type, known] of rows) {
    test(title, () => {
      const resolved = resolve(name, items(inside));
      assert.deepEqual(resolved.findings, []);
      assert.equal(written(resolved.type.feelType), type);
      assert.equal(names(resolved.type.knownNames), known);
    });
  }

  test('of a function that takes and gives itself', () => {
    const { type, findings } = resolve(
      't',
      items(
        '<itemDefinition name="t"><functionItem outputTypeRef="t"><parameters name="p" typeRef="t"/></functionItem></itemDefinition>',
      ),
    );
    const { feelType, knownNames } = type;
    assert.ok(feelType.kind === 'function');
    assert.ok(feelType.result === feelType && feelType.parameters[0] === feelType);
    assert.deepEqual([knownNames, findings], [null, []]);
  });

  test('of a model are known to `instance of`, by names with dots too', () => {
    const model = items(
      `<itemDefinition name="tTree">${component('n', 'number')}${component('children', 'tTree', COLLECTION)}</itemDefinition>${item('A 2.x', 'number')}`,
    );
    const types = compileItemTypes([model]).byModel.get(model)?.lookup;
    assert.ok(types !== undefined);
    const rows: readonly (readonly [text: string, result: string])[] = [
      ['{n: 1, children: [{n: 2, children: []}]} instance of tTree', 'true'],
      ['{n: 1, children: [{n: "2", children: []}]} instance of tTree', 'false'],
      ['{n: 1, children: [1]} instance of tTree', 'false'],
      ['1 instance of A 2.x', 'true'],
      ['1 instance of string', 'false'],
    ];
    for (const [text, result] of rows)
      assert.equal(show(run(text, { types, knownNames: ['A 2.x'] }).value), result, text);
  });
});

describe('types of imported models', () => {
  const library = modelOf(
    modelText(
      `${item('tRate', 'number')}<itemDefinition name="tLoan">${component('rate', 'tRate')}</itemDefinition>`,
    ).replace('urn:test', 'urn:lib'),
    'rules/lib.dmn',
  );

  function importing(name: string, inside = '', namespace = 'urn:lib'): DmnModel {
    const importType = dmnNamespaces['1.3'];
    return items(`<import name="${name}" namespace="${namespace}" importType="${importType}"/>${inside}`);
  }

  const rows: readonly (readonly [
    title: string,
    text: string,
    name: string,
    inside: string,
    type: string,
  ])[] = [
    ['are known by the import and a dot', 'lib.tLoan', 'lib', '', '{rate: number}'],
    ['are known by an import with a dot and a blank', 'my lib 1.0.tLoan', 'my lib 1.0', '', '{rate: number}'],
    ['are known as they are when the import has no name', 'tLoan', '', '', '{rate: number}'],
    ['come after those of the model', 'tRate', '', item('tRate', 'string'), 'string'],
    [
      'are components',
      't',
      'lib',
      `<itemDefinition name="t">${component('l', 'lib.tLoan')}</itemDefinition>`,
      '{l: {rate: number}}',
    ],
    ['are known by a prefix that is none of XML', 'lib:tLoan', 'lib', '', '{rate: number}'],
  ];
  for (const [title, text, name, inside, type] of rows) {
    test(title, () => {
      const resolved = resolve(text, importing(name, inside), [library]);
      assert.deepEqual(resolved.findings, []);
      assert.equal(written(resolved.type.feelType), type);
    });
  }

  test('are known by a prefix of XML', () => {
    const model = importing('lib');
    const { byModel } = compileItemTypes([model, library]);
    const rows: readonly (readonly [text: string, namespace: string, kind: string])[] = [
      ['l:tRate', 'urn:lib', 'number'],
      ['own:tRate', 'urn:test', 'any'],
      ['f:string', 'https://www.omg.org/spec/DMN/20191111/FEEL/', 'string'],
      ['x:tRate', 'urn:x', 'any'],
    ];
    for (const [text, namespace, kind] of rows) {
      const reference: TypeReference = { text, namespace, place: {} };
      assert.equal(byModel.get(model)?.resolve(reference, () => undefined).feelType.kind, kind, text);
    }
  });

  test('of models that import each other', () => {
    const one = importing(
      'two',
      `<itemDefinition name="a">${component('b', 'two.b')}</itemDefinition>`,
      'urn:two',
    );
    const importType = dmnNamespaces['1.3'];
    const two = modelOf(
      modelText(
        `<import name="one" namespace="urn:test" importType="${importType}"/>${item('b', 'one.a', COLLECTION)}`,
      ).replace('"urn:test">', '"urn:two">'),
    );
    const { type, findings } = resolve('a', one, [two]);
    assert.deepEqual(findings, []);
    assert.equal(written(type.feelType), '{b: [{b: [{b: …}]}]}');
  });

  test('that are not there are not reported: their import is', () => {
    const { type, findings } = resolve('lib.tLoan', importing('lib', item('t', 'lib.x')));
    assert.deepEqual([written(type.feelType), findings], ['any', []]);
  });

  test('that the model does not have are reported', () => {
    const { findings } = resolve('lib.tLaon', importing('lib'), [library]);
    assert.deepEqual(outline(findings, 'error'), [{ code: 'SUTRA.DMN.TYPE_UNKNOWN', line: 7, column: 9 }]);
  });
});

describe('every refusal of types has its code, line and column:', () => {
  const allowed = (text: string): string =>
    `<itemDefinition name="t"><typeRef>string</typeRef><allowedValues><text>${text}</text></allowedValues></itemDefinition>`;
  const rows: readonly (readonly [title: string, inside: string, ...codes: readonly string[]])[] = [
    ['an unknown type', item('t', '▮nmber'), 'SUTRA.DMN.TYPE_UNKNOWN'],
    [
      'an unknown type of a component',
      `<itemDefinition name="t">${component('a', '\n ▮x')}</itemDefinition>`,
      'SUTRA.DMN.TYPE_UNKNOWN',
    ],
    ['an unknown type of a list', item('t', '▮x', COLLECTION), 'SUTRA.DMN.TYPE_UNKNOWN'],
    [
      'unknown types of a function',
      '<itemDefinition name="t"><functionItem outputTypeRef="▮y"><parameters name="p" typeRef="▮x"/></functionItem></itemDefinition>',
      'SUTRA.DMN.TYPE_UNKNOWN',
      'SUTRA.DMN.TYPE_UNKNOWN',
    ],
    ['a type of FEEL with another prefix', item('t', '▮xsd:string'), 'SUTRA.DMN.TYPE_UNKNOWN'],
    ['a type that is itself', `▮${item('t', 't')}`, 'SUTRA.DMN.TYPE_CYCLIC'],
    [
      'types that are each other, once',
      `▮${item('t', 'u')}${item('u', 'v')}${item('v', 't')}${item('w', 'u')}`,
      'SUTRA.DMN.TYPE_CYCLIC',
    ],
    ['the name of a type of FEEL', `▮${item('date', 'string')}`, 'SUTRA.DMN.TYPE_NAME_RESERVED'],
    ['allowed values that cannot be read', allowed('"a", ▮,'), 'SUTRA.FEEL.SYNTAX_INVALID'],
    ['allowed values without quotes', allowed('"a", ▮HIGH'), 'SUTRA.DMN.ALLOWED_VALUES_INVALID'],
    [
      'allowed values that call what there is not',
      allowed('▮lenght(?) = 1'),
      'SUTRA.DMN.ALLOWED_VALUES_INVALID',
    ],
  ];
  for (const [title, inside, ...codes] of rows) {
    test(title, () => {
      const { text, places } = readMarks(modelText(inside));
      const { findings } = compileItemTypes([modelOf(text)]);
      const expected = codes.map((code, index) => ({ code, ...places[index] }));
      const byPlace = [...outline(findings, 'error')].sort(
        (one, other) => (one.column ?? 0) - (other.column ?? 0),
      );
      assert.deepEqual(byPlace, expected, JSON.stringify(findings));
    });
  }

  test('with what was probably meant', () => {
    const model = items(item('tApplicant', 'string'));
    const hints = ['tAplicant', 'feel:sting', 'integer', 'quite another'].map((text) =>
      resolve(text, model)
        .findings.map(({ message }) => message)
        .join(),
    );
    assert.deepEqual(hints, [
      'there is no type "tAplicant"; did you mean "tApplicant"?',
      'there is no type "feel:sting"; did you mean "string"?',
      'there is no type "integer"; write number',
      'there is no type "quite another"',
    ]);
  });
});

describe('files made to cost', () => {
  const COUNT = 5_000;
  const rows: readonly (readonly [title: string, one: (index: number) => string])[] = [
    [
      'types that stand for each other in a long row',
      (index) => item(`t${index}`, index === 0 ? 'number' : `t${index - 1}`),
    ],
    [
      'the same in the other order',
      (index) => item(`t${index}`, index === COUNT - 1 ? 'number' : `t${index + 1}`),
    ],
    ['lists of lists', (index) => item(`t${index}`, `t${(index + 1) % COUNT}`, COLLECTION)],
    [
      'contexts in contexts',
      (index) => `<itemDefinition name="t${index}">${component('a', `t${index + 1}`)}</itemDefinition>`,
    ],
    ['a long circle', (index) => item(`t${index}`, `t${(index + 1) % COUNT}`)],
  ];
  for (const [title, one] of rows) {
    test(`end soon: ${title}`, () => {
      const model = items(Array.from({ length: COUNT }, (_, index) => one(index)).join(''));
      const { findings } = compileItemTypes([model]);
      assert.ok(findings.length <= 1);
    });
  }

  test('have a thousand of their faults listed', () => {
    const model = items(Array.from({ length: 1_500 }, (_, index) => item(`t${index}`, `x${index}`)).join(''));
    const { findings } = compileItemTypes([model]);
    assert.equal(findings.length, 1_001);
    assert.equal(findings.at(-1)?.code, 'SUTRA.DMN.TOO_MANY_FINDINGS');
  });
});

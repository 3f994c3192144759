import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TurnBudget } from '../../../definitions/feel/budget.ts';
import { decisionModel, inputData } from '../../support/decisions.ts';
import { lookupIn, NOW_MS } from '../feel/compile-run.ts';
import {
  compiled,
  context,
  decide,
  entry,
  faultsOf,
  find,
  invocation,
  it,
  knowledge,
  literal,
  made,
  typeRef,
} from './decide.ts';

interface Requires {
  readonly inputs?: readonly string[];
  readonly decisions?: readonly string[];
  readonly knowledge?: readonly string[];
  readonly type?: string;
}

/** A decision; what it requires by hrefs without their `#`, or with a namespace. */
function decision(name: string, logic: string, requires: Requires = {}): string {
  const href = (id: string): string => (id.includes('#') ? id : `#${id}`);
  const information = (tag: string, ids: readonly string[] = []): string =>
    ids.map((id) => `<informationRequirement><${tag} href="${href(id)}"/></informationRequirement>`).join('');
  const functions = (requires.knowledge ?? []).map(
    (id) => `<knowledgeRequirement><requiredKnowledge href="${href(id)}"/></knowledgeRequirement>`,
  );
  return `<decision id="${name}" name="${name}"><variable name="${name}"${typeRef(requires.type)}/>${information('requiredInput', requires.inputs)}${information('requiredDecision', requires.decisions)}${functions.join('')}${logic}</decision>`;
}

interface Holds {
  readonly outputs: readonly string[];
  readonly inputs?: readonly string[];
  readonly inputDecisions?: readonly string[];
  readonly type?: string;
}

function service(name: string, { outputs, inputs = [], inputDecisions = [], type }: Holds): string {
  const references = (tag: string, ids: readonly string[]): string =>
    ids.map((id) => `<${tag} href="#${id}"/>`).join('');
  return `<decisionService id="${name}" name="${name}"><variable name="${name}"${typeRef(type)}/>${references('outputDecision', outputs)}${references('inputDecision', inputDecisions)}${references('inputData', inputs)}</decisionService>`;
}

describe('requirements', () => {
  test('a decision gets what it requires', () => {
    const inside = [
      inputData('n'),
      decision('a', literal('n + 1'), { inputs: ['n'] }),
      decision('b', literal('a * 10'), { decisions: ['a'] }),
    ].join('\n');
    assert.equal(decide(inside, 'b', { n: 1 }).value, '20');
  });

  test('input data that is not given is null', () => {
    assert.equal(decide(it(literal('n = null'), ['n']), 'it').value, 'true');
  });

  test('a required decision is made once, and only when it is asked for', () => {
    const costly = literal('count(for i in 1..1000 return i)');
    const cost = (logic: string): number => {
      const budget = new TurnBudget(NOW_MS);
      const inside = [decision('a', costly), decision('b', literal(logic), { decisions: ['a'] })].join('\n');
      find(inside, 'b').evaluate(lookupIn({}), budget);
      return new TurnBudget(NOW_MS).unitsLeft - budget.unitsLeft;
    };
    assert.ok(cost('a') > 1_000);
    assert.ok(cost('a + a + a') < cost('a') * 1.5);
    assert.ok(cost('if true then 1 else a') < 200);
  });

  test('what is not required is not visible', () => {
    const inside = [inputData('n'), decision('a', literal('1')), decision('b', literal('a + n'))].join('\n');
    assert.deepEqual(faultsOf(inside), ['SUTRA.FEEL.NAME_UNKNOWN 5:72', 'SUTRA.FEEL.NAME_UNKNOWN 5:76']);
  });

  test('a decision needs the input data of those that it requires', () => {
    const inside = [
      inputData('n: number', 'm'),
      decision('a', literal('n'), { inputs: ['n'] }),
      decision('b', literal('a'), { inputs: ['m'], decisions: ['a'] }),
    ].join('\n');
    assert.deepEqual(find(inside, 'b').inputs, [
      { name: 'm', type: { kind: 'any' } },
      { name: 'n', type: { kind: 'number' } },
    ]);
  });

  test('decisions that require each other are refused', () => {
    const inside = [
      decision('a', literal('b'), { decisions: ['b'] }),
      decision('b', literal('a'), { decisions: ['a'] }),
      decision('c', literal('c'), { decisions: ['c'] }),
      decision('d', literal('c'), { decisions: ['c'] }),
    ].join('\n');
    const { findings } = compiled(decisionModel(inside));
    assert.deepEqual(
      findings.map(({ code, message }) => [code, message]),
      [
        ['SUTRA.DMN.REQUIREMENT_CYCLE', '"a", "b" require each other in a circle'],
        ['SUTRA.DMN.REQUIREMENT_CYCLE', '"c" requires itself'],
      ],
    );
  });

  test('a decision without logic is null', () => {
    const { models } = compiled(decisionModel(decision('a', '')));
    const [found] = models.flatMap(({ decisions }) => decisions);
    assert.ok(found);
    assert.equal(made(found, lookupIn({})).value, 'null');
  });
});

describe('names and types', () => {
  test('names with signs are those of what is required', () => {
    const inside = `<inputData id="x" name="risk-score/a"/>${decision('a', literal('risk-score/a + 1'), { inputs: ['x'] })}`;
    assert.equal(decide(inside, 'a', { 'risk-score/a': 4 }).value, '5');
  });

  test('names in a structured type are known', () => {
    const inside = `<itemDefinition name="tLoan"><itemComponent name="pay-back"><typeRef>number</typeRef></itemComponent></itemDefinition>
${it(literal('Loan.pay-back + 1'), ['Loan: tLoan'])}`;
    assert.equal(decide(inside, 'it', { Loan: { 'pay-back': 2 } }).value, '3');
  });

  test('names in a decision without a type are known', () => {
    const inside = [
      decision('a', context(entry('pay-back', literal('2')))),
      decision('b', literal('a.pay-back + 1'), { decisions: ['a'] }),
    ].join('\n');
    assert.equal(decide(inside, 'b').value, '3');
  });

  test('a value of another type is null where it comes in, and an error', () => {
    const inside = it(literal('n'), ['n: number']);
    assert.deepEqual(decide(inside, 'it', { n: 'a' }), {
      value: 'null',
      errors: ['SUTRA.DMN.TYPE_MISMATCH 3'],
      warnings: [],
    });
  });

  test('a date is read where it comes in', () => {
    const inside = it(literal('day.year + day.month'), ['day: date']);
    assert.equal(decide(inside, 'it', { day: '2026-03-01' }).value, '2029');
  });

  test('the result of a decision has a type', () => {
    const inside = decision('a', literal('"x"'), { type: 'number' });
    assert.deepEqual(find(inside, 'a').resultType, { kind: 'number' });
    assert.deepEqual(decide(inside, 'a').errors, ['SUTRA.DMN.TYPE_MISMATCH 3']);
  });

  test('a required value of the name of a built-in function does not hide it', () => {
    assert.equal(decide(it(literal('count([count])'), ['count']), 'it', { count: 5 }).value, '1');
  });

  test('a required function of the name of a built-in one hides it', () => {
    const inside = [
      knowledge('count', ['x'], literal('"mine"')),
      decision('a', literal('count([])'), { knowledge: ['count'] }),
    ].join('\n');
    assert.equal(decide(inside, 'a').value, '"mine"');
  });
});

describe('knowledge models', () => {
  const double = knowledge('double', ['x: number'], literal('x * 2', 'number'));

  test('is called by name', () => {
    const inside = [double, decision('a', literal('double(4)'), { knowledge: ['double'] })].join('\n');
    assert.equal(decide(inside, 'a').value, '8');
  });

  test('is invoked with bindings', () => {
    const logic = invocation('double', { x: literal('5') });
    assert.equal(
      decide([double, decision('a', logic, { knowledge: ['double'] })].join('\n'), 'a').value,
      '10',
    );
  });

  test('calls others that it requires, and itself', () => {
    const inside = [
      double,
      knowledge('power', ['n'], literal('if n = 0 then 1 else double(power(n - 1))'), ['double']),
      decision('a', literal('power(10)'), { knowledge: ['power'] }),
    ].join('\n');
    assert.equal(decide(inside, 'a').value, '1024');
  });

  test('two may call each other', () => {
    const inside = [
      knowledge('even', ['n'], literal('if n = 0 then true else odd(n - 1)'), ['odd']),
      knowledge('odd', ['n'], literal('if n = 0 then false else even(n - 1)'), ['even']),
      decision('a', literal('[even(10), even(7)]'), { knowledge: ['even'] }),
    ].join('\n');
    assert.equal(decide(inside, 'a').value, '[true, false]');
  });

  test('does not see what is around its call', () => {
    const inside = [
      knowledge('f', [], literal('secret')),
      decision('a', context(entry('secret', literal('1')), entry(null, literal('f()'))), {
        knowledge: ['f'],
      }),
    ].join('\n');
    assert.deepEqual(faultsOf(inside), ['SUTRA.FEEL.NAME_UNKNOWN 3:105']);
  });

  test('its arguments and its result are of their types, or null', () => {
    const call = (text: string): unknown =>
      decide(
        [
          double,
          knowledge('text', ['x'], literal('x', 'string')),
          decision('a', literal(text), { knowledge: ['double', 'text'] }),
        ].join('\n'),
        'a',
      );
    assert.deepEqual(call('double("a")'), {
      value: 'null',
      errors: ['SUTRA.DMN.TYPE_MISMATCH 3'],
      warnings: ['OPERAND 3'],
    });
    assert.deepEqual(call('text(1)'), { value: 'null', errors: ['SUTRA.DMN.TYPE_MISMATCH 4'], warnings: [] });
    assert.deepEqual(call('double([4])'), { value: '8', errors: [], warnings: [] });
  });

  test('is evaluated by name with its parameters', () => {
    const found = find(double, 'double');
    assert.equal(found.kind, 'knowledge-model');
    assert.deepEqual(found.inputs, [{ name: 'x', type: { kind: 'number' } }]);
    assert.deepEqual(found.resultType, { kind: 'number' });
    assert.equal(made(found, lookupIn({ x: 4 })).value, '8');
    assert.deepEqual(made(found, lookupIn({ x: 'a' })), {
      value: 'null',
      errors: ['SUTRA.DMN.TYPE_MISMATCH 3'],
      warnings: [],
    });
  });

  test('a value of it is a function', () => {
    const inside = [
      double,
      decision('a', literal('sort([1, 2], function(x, y) double(x) > y)'), { knowledge: ['double'] }),
    ];
    assert.equal(decide(inside.join('\n'), 'a').value, '[2, 1]');
  });
});

describe('decision services', () => {
  const elements = [
    inputData('n: number', 'm'),
    decision('base', literal('n * 100'), { inputs: ['n'] }),
    decision('sum', literal('base + n'), { inputs: ['n'], decisions: ['base'] }),
    decision('text', literal('"n is " + string(n)'), { inputs: ['n'] }),
  ];

  test('computes what is in it from its input data', () => {
    const inside = [
      ...elements,
      service('s', { outputs: ['sum'], inputs: ['n'] }),
      decision('a', literal('s(2)'), { knowledge: ['s'] }),
    ];
    assert.equal(decide(inside.join('\n'), 'a').value, '202');
  });

  test('takes input decisions in the place of those that it would make', () => {
    const inside = [
      ...elements,
      service('s', { outputs: ['sum'], inputs: ['n'], inputDecisions: ['base'] }),
      decision('a', literal('[s(2, 7), s(base: 1, n: 1), base]'), {
        inputs: ['n'],
        decisions: ['base'],
        knowledge: ['s'],
      }),
    ].join('\n');
    assert.equal(decide(inside, 'a', { n: 5 }).value, '[9, 2, 500]');
    assert.deepEqual(
      find(inside, 's').inputs.map(({ name }) => name),
      ['n', 'base'],
    );
    assert.equal(decide(inside, 's', { n: 1, base: 1 }).value, '2');
  });

  test('a null argument is null, whatever the decision would give', () => {
    const inside = [
      ...elements,
      decision('seen', literal('base = null'), { decisions: ['base'] }),
      service('s', { outputs: ['seen'], inputDecisions: ['base'] }),
    ];
    assert.equal(decide(inside.join('\n'), 's', {}).value, 'true');
  });

  test('several outputs are a context', () => {
    const inside = [...elements, service('s', { outputs: ['sum', 'text'], inputs: ['n'] })].join('\n');
    assert.equal(decide(inside, 's', { n: 1 }).value, '{sum: 101, text: "n is 1"}');
  });

  test('sees nothing from outside but its arguments', () => {
    const inside = [
      ...elements,
      service('s', { outputs: ['text'] }),
      decision('a', literal('s()'), { inputs: ['n'], knowledge: ['s'] }),
    ];
    assert.equal(decide(inside.join('\n'), 'a', { n: 3 }).value, 'null');
  });

  test('an argument of another type leaves it without a result', () => {
    const inside = [
      ...elements,
      decision('always', literal('1'), { inputs: ['n'] }),
      service('s', { outputs: ['always'], inputs: ['n'] }),
      decision('a', literal('s("x")'), { knowledge: ['s'] }),
    ].join('\n');
    const [byCall, byName] = [decide(inside, 'a'), decide(inside, 's', { n: 'x' })];
    assert.deepEqual([byCall.value, byName.value], ['null', 'null']);
    assert.deepEqual(
      [...byCall.errors, ...byName.errors].map((error) => error.split(' ')[0]),
      ['SUTRA.DMN.TYPE_MISMATCH', 'SUTRA.DMN.TYPE_MISMATCH'],
    );
  });

  test('its result is of its type', () => {
    const inside = [...elements, service('s', { outputs: ['text'], inputs: ['n'], type: 'number' })].join(
      '\n',
    );
    assert.equal(decide(inside, 's', { n: 1 }).value, 'null');
    assert.equal(decide(inside, 's', { n: 1 }).errors.length, 1);
  });

  test('what it makes inside is not what is made outside', () => {
    const inside = [
      ...elements,
      service('s', { outputs: ['base'], inputs: ['n'] }),
      decision('a', literal('[base, s(1), base]'), { decisions: ['base'], knowledge: ['s'] }),
    ];
    assert.equal(decide(inside.join('\n'), 'a', { n: 2 }).value, '[200, 100, 200]');
  });

  test('one that would call itself is refused', () => {
    const inside = [
      service('s', { outputs: ['a'] }),
      knowledge('f', [], literal('s()'), ['s']),
      decision('a', literal('f()'), { knowledge: ['f'] }),
    ];
    assert.match(faultsOf(inside.join('\n')).join(' '), /^SUTRA\.DMN\.REQUIREMENT_CYCLE 4:1$/);
  });

  test('one that takes a decision that calls it is not refused', () => {
    const inside = [
      decision('a', literal('s(1)'), { knowledge: ['s'] }),
      decision('b', literal('a + 1'), { decisions: ['a'] }),
      service('s', { outputs: ['b'], inputDecisions: ['a'] }),
    ];
    assert.equal(decide(inside.join('\n'), 'a').value, '2');
  });
});

describe('models that import others', () => {
  function importing(name: string, namespace: string, inside: string): string {
    const tag = `<import name="${name}" namespace="${namespace}" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/>`;
    return decisionModel(`${tag}\n${inside}`, 'main');
  }

  const base = decisionModel(
    [
      '<itemDefinition name="tPerson"><itemComponent name="first-name"><typeRef>string</typeRef></itemComponent></itemDefinition>',
      inputData('rate: number'),
      decision('fee', literal('rate * 2'), { inputs: ['rate'] }),
      knowledge('add up', ['a', 'b'], literal('a + b')),
    ].join('\n'),
    'base',
  );

  function of(models: readonly string[], name: string): ReturnType<typeof find> {
    const { models: all, findings } = compiled(...models);
    assert.deepEqual(findings, []);
    const found = all.flatMap(({ decisions }) => decisions).find((each) => each.name === name);
    assert.ok(found);
    return found;
  }

  test('what is required of them is in a context by the name of the import', () => {
    const main = importing(
      'lib',
      'urn:test:base',
      decision('a', literal('lib.add up(lib.fee, lib.rate)'), {
        inputs: ['urn:test:base#rate'],
        decisions: ['urn:test:base#fee'],
        knowledge: ['urn:test:base#add-up'],
      }),
    );
    const found = of([main, base], 'a');
    assert.equal(made(found, lookupIn({ lib: { rate: 5 } })).value, '15');
    assert.deepEqual(
      found.inputs.map(({ name, type }) => [name, type.kind]),
      [['lib', 'context']],
    );
  });

  test('an import without a name makes names visible as they are', () => {
    const main = importing(
      '',
      'urn:test:base',
      decision('a', literal('fee + 1'), { decisions: ['urn:test:base#fee'] }),
    );
    const found = of([base, main], 'a');
    assert.equal(made(found, lookupIn({ rate: 5 })).value, '11');
    assert.deepEqual(
      found.inputs.map(({ name }) => name),
      ['rate'],
    );
  });

  test('types come by the name of the import', () => {
    const inside = `<inputData id="p" name="p"><variable name="p" typeRef="lib.tPerson"/></inputData>${decision('a', literal('p.first-name'), { inputs: ['p'] })}`;
    const found = of([importing('lib', 'urn:test:base', inside), base], 'a');
    assert.equal(made(found, lookupIn({ p: { 'first-name': 'Ann' } })).value, '"Ann"');
  });

  test('a model that is imported in two ways has two sets of data', () => {
    const middle = importing(
      'lib',
      'urn:test:base',
      decision('m', literal('lib.fee'), { decisions: ['urn:test:base#fee'] }),
    ).replaceAll('main', 'middle');
    const main = importing(
      'lib',
      'urn:test:base',
      decision('a', literal('[lib.fee, mid.m]'), { decisions: ['urn:test:base#fee', 'urn:test:middle#m'] }),
    ).replace(
      '<import',
      '<import name="mid" namespace="urn:test:middle" importType="https://www.omg.org/spec/DMN/20191111/MODEL/"/><import',
    );
    const found = of([main, middle, base], 'a');
    const given = { lib: { rate: 1 }, mid: { lib: { rate: 10 } } };
    assert.equal(made(found, lookupIn(given)).value, '[2, 20]');
  });

  test('an imported namespace that no model has is reported', () => {
    const main = importing('lib', 'urn:test:none', decision('a', literal('1')));
    assert.deepEqual(
      compiled(main).findings.map(({ code, place }) => [code, place.line]),
      [['SUTRA.DMN.IMPORT_UNKNOWN', 3]],
    );
  });

  test('a reference to what the imported model does not have is reported', () => {
    const main = importing(
      'lib',
      'urn:test:base',
      decision('a', literal('1'), { decisions: ['urn:test:base#rate'] }),
    );
    assert.deepEqual(
      compiled(main, base).findings.map(({ code, message }) => [code, message]),
      [
        [
          'SUTRA.DMN.REFERENCE_DANGLING',
          'the model "urn:test:base" has no decision of the id "rate"; that is of the kind input data',
        ],
      ],
    );
  });

  test('two models of one namespace are reported where it is imported, and nowhere else', () => {
    assert.deepEqual(compiled(base, base).findings, []);
    const main = importing('lib', 'urn:test:base', decision('a', literal('1')));
    assert.deepEqual(
      compiled(base, base, main).findings.map(({ code, place }) => [code, place.file]),
      [['SUTRA.DMN.NAMESPACE_DUPLICATE', 'rules/2.dmn']],
    );
  });
});

describe('what a model offers', () => {
  test('decisions, services and knowledge models stand in the order of the file', () => {
    const inside = [
      knowledge('f', [], literal('1')),
      decision('b', literal('1')),
      service('s', { outputs: ['b'] }),
      decision('a', literal('1')),
    ];
    const { models } = compiled(decisionModel(inside.join('\n')));
    assert.deepEqual(
      models.map(({ file, namespace, name, decisions }) => [
        file,
        namespace,
        name,
        decisions.map((each) => `${each.kind} ${each.name} ${String(each.id)} ${String(each.place.line)}`),
      ]),
      [
        [
          'rules/1.dmn',
          'urn:test:test',
          'test',
          ['knowledge-model f f 3', 'decision b b 4', 'decision-service s s 5', 'decision a a 6'],
        ],
      ],
    );
  });

  test('an external function is refused', () => {
    const inside = `<businessKnowledgeModel id="f" name="f"><variable name="f"/><encapsulatedLogic kind="Java">${context(entry('class', literal('"a.B"')))}</encapsulatedLogic></businessKnowledgeModel>`;
    assert.match(faultsOf(inside).join(' '), /FUNCTION_KIND_UNSUPPORTED/);
  });
});

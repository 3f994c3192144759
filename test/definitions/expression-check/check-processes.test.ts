/** What is found in the expressions of a process, and where: `«` stands before it (marked-package.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  alias,
  call,
  decided,
  each,
  flow,
  inside,
  NAME,
  PATH,
  script,
  started,
  TYPE,
  type Row,
} from './marked-model.ts';
import { compileMarked } from './marked-package.ts';

describe('expressions of a process whose variables are all known', () => {
  each([
    ['over the payload', decided('=order.amount > 100'), []],
    [
      'with a variable that nothing makes',
      decided('=«ordr.amount > 100'),
      [`warning ${NAME}`],
      /there is no variable 'ordr'; did you mean 'order'\?$/,
    ],
    ['with a property that the schema does not have', decided('=order.«amuont > 100'), [`warning ${PATH}`]],
    ['with kinds that do not compare', decided('=«order.amount > "100"'), [`warning ${TYPE}`]],
    [
      'with a condition that is no boolean',
      decided('=«order.amount'),
      [`warning ${TYPE}`],
      /the condition is a number, which is never true/,
    ],
    [
      'with kinds that never compare, whatever the variables are',
      decided('=order.amount > 5 and «"a" > 5'),
      [`error ${TYPE}`],
    ],
    [
      'on the line that they are on',
      decided('=order.amount > 5\n  and\n  «customer.age > 18'),
      [`warning ${NAME}`],
    ],
    ['with an entity before it', decided('=order.amount &gt; 5 and «customer = 1'), [`warning ${NAME}`]],
    ['with a constant condition', decided('=«1 = 2'), ['warning FEEL.CONDITION_CONSTANT']],
    ['with a condition that is meant to be constant', decided('=true'), []],
    ['with header, event and payload', decided('=header.a = event.b and payload.c = 1'), []],
    ['with the result of a script', decided('=total > 5', script('=order.amount * 2', 'total')), []],
    [
      'with the result of a script, of another kind',
      decided('=«total > "5"', script('=sum(order.lines.price)', 'total')),
      [`warning ${TYPE}`],
    ],
    ['with what a script makes', decided('=total > 5', script('={total: 1, other: 2}')), []],
    [
      'with what a script does not make',
      decided('=«totl > 5', script('={total: 1, other: 2}')),
      [`warning ${NAME}`],
      /did you mean 'total'/,
    ],
    [
      'after a script whose result is not kept',
      decided('=«total > 5', script('=1 + 1')),
      [`warning ${NAME}`],
    ],
    ['with the answer of a call', decided('=score.value > 5', call('<q:output variable="score"/>')), []],
    [
      'with what a call does not answer to',
      decided('=«scores.value > 5', call('<q:output variable="score"/>')),
      [`warning ${NAME}`],
    ],
    [
      'of the parameters of a call',
      decided('=true', call('<q:output variable="score"/><q:param name="x" expression="«ordre"/>')),
      [`warning ${NAME}`],
    ],
    [
      'of a header',
      decided('=true', call('<q:output variable="score"/><q:header name="x" value="«order.lines"/>')),
      [`warning ${TYPE}`],
    ],
    [
      'of an alias of a wait, over variables and the message',
      decided(
        '=true',
        `<receiveTask id="#">${inside(`<q:source channel="payments" name="pay"/>${alias('if pay = null then order.id else pay.reference')}`)}</receiveTask>`,
      ),
      [],
    ],
    [
      'of an alias of a wait that names what is neither',
      decided(
        '=true',
        `<receiveTask id="#">${inside(`<q:source channel="payments" name="pay"/>${alias('«paid.reference')}`)}</receiveTask>`,
      ),
      [`warning ${NAME}`],
    ],
    [
      'of a loop',
      decided(
        '=results[1] = 5',
        `<scriptTask id="#" scriptFormat="feel">${inside('<q:output variable="r"/>')}<multiInstanceLoopCharacteristics>
${inside('<q:loop collection="=order.lines" item="line" output="results" outputItem="r"/>')}
<completionCondition>=numberOfCompletedInstances > loopCounter and r > 5</completionCondition></multiInstanceLoopCharacteristics>
<script>=line.price</script></scriptTask>`,
      ),
      [],
    ],
    [
      'of a loop over what is no list',
      decided(
        '=true',
        `<scriptTask id="#" scriptFormat="feel">${inside('<q:output variable="r"/>')}<multiInstanceLoopCharacteristics>
${inside('<q:loop collection="«=5" item="line"/>').replace('«=', '=«')}
<completionCondition>=«numberOfCompleted > 1</completionCondition></multiInstanceLoopCharacteristics>
<script>=line</script></scriptTask>`,
      ),
      [`error ${TYPE}`, `warning ${NAME}`],
    ],
    [
      'of data',
      decided(
        '=price > 5',
        `<dataObject id="d" name="price"/><scriptTask id="#" scriptFormat="feel"><ioSpecification><dataInput id="i" name="lines"/><dataOutput id="o" name="total"/><inputSet/><outputSet/></ioSpecification>
<dataInputAssociation><targetRef>i</targetRef><assignment><from>=order.lines</from><to>lines</to></assignment></dataInputAssociation>
<dataOutputAssociation><sourceRef>o</sourceRef><targetRef>d</targetRef></dataOutputAssociation>
<script>={total: sum(lines.price) + «tax}</script></scriptTask>`,
      ),
      [`warning ${NAME}`],
    ],
    [
      'of a caught error, of a declared variable, of a sub-process',
      started(
        `<subProcess id="n"><dataObject id="d" name="local"/><startEvent id="is"/><endEvent id="ie"/>${flow('if', 'is', 'ie')}</subProcess>
<boundaryEvent id="b" attachedToRef="n"><errorEventDefinition/></boundaryEvent>
<exclusiveGateway id="g" default="no"/>${flow('bg', 'b', 'g')}${flow('yes', 'g', 'e', '=declared = 1 or order.id = "a" or «lost = 1')}${flow('no', 'g', 'e')}<endEvent id="e"/>`,
        { variables: inside('<q:variables><q:variable name="declared"/></q:variables>') },
      ),
      [`warning ${NAME}`],
    ],
    [
      'of timers',
      started(
        `<intermediateCatchEvent id="n"><timerEventDefinition><timeDuration>=«order.amount</timeDuration></timerEventDefinition></intermediateCatchEvent>`,
      ),
      [`warning ${TYPE}`],
      /the duration must be a days and time duration, or its text, and is a number/,
    ],
  ]);
});

describe('expressions of a process in which any variable can be made', () => {
  const opening: readonly (readonly [string, string])[] = [
    ['a call without q:output', call('')],
    ['a script that may give any context', script('=order')],
    ['a script that gives a context with other entries', script('=context put({}, order.id, 1)')],
    ['a user task', '<userTask id="#"/>'],
    ['a called process', `<callActivity id="#" calledElement="p"/>`],
    [
      'a call whose error is caught',
      `${call('<q:output variable="x"/>')}<boundaryEvent id="late" attachedToRef="#"><errorEventDefinition/></boundaryEvent>${flow('be', 'late', 'e')}`,
    ],
    [
      'a signal without q:output',
      '<intermediateCatchEvent id="#"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent>',
    ],
  ];
  const signal = '<signal id="sig" name="alarm"/>';
  each([
    ...opening.map(([title, node]): Row => {
      const { model = '' } = decided('=anything > 5 and order.nothing > "a"', node);
      return [`by ${title}: names say nothing`, { model: signal + model }, []];
    }),
    [
      'by whoever starts it: names say nothing',
      {
        model: `<process id="p" isExecutable="true"><startEvent id="s"/>${flow('f', 's', 'n')}<exclusiveGateway id="n" default="no"/>${flow('yes', 'n', 'e', '=anything > 5')}${flow('no', 'n', 'e')}<endEvent id="e"/></process>`,
      },
      [],
    ],
    [
      'what is wrong whatever they are is found',
      decided('=anything > 5 and «"a" > 5', call('')),
      [`error ${TYPE}`],
    ],
    ['and a condition that is none', decided('=«"yes"', call('')), [`error ${TYPE}`]],
  ]);
});

describe('the findings of a package', () => {
  it('are no more than somebody can correct', () => {
    const many = Array.from(
      { length: 600 },
      (_, index) => `<q:param name="p${index}" expression="&quot;a&quot; * ${index}"/>`,
    );
    const { model = '' } = decided('=true', call(`<q:output variable="score"/>${many.join('')}`));
    const { findings, hasModel } = compileMarked({ model });
    assert.equal(hasModel, false);
    assert.equal(findings.length, 501);
    assert.match(findings.at(-1)?.message ?? '', /no more than 500 are listed/);
  });
});

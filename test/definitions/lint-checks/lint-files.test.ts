/** When the checks of lint run, and that each of them does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintCodes } from '../../../definitions/lint-checks/codes.ts';
import { lintFiles } from '../../../definitions/lint.ts';
import { compilePackage } from '../../../definitions/package.ts';
import { packageFiles } from '../../support/packages.ts';

const operator = {
  defaultLockDurationMs: 30_000,
  maxLockDurationMs: 60_000,
  retries: 3,
  maxRetries: 5,
  retryTimeoutMs: 10_000,
  maxRetryTimeoutMs: 60_000,
  maxPayloadBytes: 1_000,
};

const begin = `<startEvent id="s"><extensionElements><q:source channel="orders" name="order"/>
  <q:alias name="id" expression="order.id" unique="true"/></extensionElements><messageEventDefinition id="m"/></startEvent>`;

function flow(from: string, to: string, condition = ''): string {
  const inside = condition === '' ? '' : `<conditionExpression>=${condition}</conditionExpression>`;
  return `<sequenceFlow id="${from}-${to}" sourceRef="${from}" targetRef="${to}">${inside}</sequenceFlow>`;
}

/** Processes with all mistakes, each so that none hides another. */
const mistaken = {
  graph: `<startEvent id="s"><extensionElements><q:source channel="third"/></extensionElements><messageEventDefinition id="m"/></startEvent>
<exclusiveGateway id="x"/><parallelGateway id="j"/><task id="a"/><endEvent id="e"/>
<boundaryEvent id="b" attachedToRef="a"><errorEventDefinition id="bd"/></boundaryEvent>
${flow('s', 'x')}${flow('x', 'j', 'payload.isGood')}${flow('x', 'a', 'payload.isBad')}${flow('a', 'j')}${flow('j', 'e')}`,
  waits: `<extensionElements><q:variables><q:variable name="order" transient="true"/></q:variables></extensionElements>
${begin}<parallelGateway id="f"/><task id="a"/><task id="b"/><exclusiveGateway id="m1"/>
${flow('s', 'f')}${flow('f', 'a')}${flow('f', 'b')}${flow('a', 'm1')}${flow('b', 'm1')}${flow('m1', 'w')}
<receiveTask id="w"><extensionElements><q:source channel="near"/></extensionElements></receiveTask>
<receiveTask id="v"><extensionElements><q:source channel="orders" name="v"/></extensionElements></receiveTask>
<receiveTask id="u"><extensionElements><q:source channel="orders" name="u"/><q:alias name="all" expression="&quot;x&quot;"/></extensionElements></receiveTask>
<scriptTask id="r"><extensionElements><q:output variable="o"/></extensionElements><script>=order.id</script></scriptTask>
<serviceTask id="c" implementation="channel:work"><extensionElements><q:param name="a" expression="1"/><q:output variable="t"/><q:timeout duration="PT5S"/></extensionElements></serviceTask>
<intermediateCatchEvent id="t"><timerEventDefinition id="td"><timeDuration>="5 minutes"</timeDuration></timerEventDefinition></intermediateCatchEvent>
${flow('w', 'v')}${flow('v', 'u')}${flow('u', 'r')}${flow('r', 'c')}${flow('c', 't')}`,
  loop: `${begin.replace('channel="orders"', 'channel="others"')}<exclusiveGateway id="m1"/><task id="a"/>${flow('s', 'm1')}${flow('m1', 'a')}${flow('a', 'm1')}`,
};

const channels = `  - { name: orders, transport: http, bind: 'POST /channels/orders', payload-cap-bytes: 2000 }
  - { name: others, transport: http, bind: 'POST /channels/others' }
  - { name: third, transport: http, bind: 'POST /channels/third' }
  - { name: unused, transport: http, bind: 'POST /channels/unused' }
  - { name: near, transport: local }
  - { name: work, transport: pull, task: { lock-duration: PT30S } }`;

function files(
  more: { readonly channels?: string; readonly processes?: Readonly<Record<string, string>> } = {},
) {
  const texts = packageFiles({ channels, processes: mistaken, ...more });
  return Object.entries(texts).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
}

function codesOf(findings: ReturnType<typeof lintFiles>): readonly string[] {
  return [...new Set(findings.map(({ code }) => code))].filter((code) => code.startsWith('SUTRA.LINT.'));
}

describe('the checks of lint', () => {
  it('all run, and each finding has its place and its remedy', () => {
    const findings = lintFiles(files(), { operator });
    assert.deepEqual(
      codesOf(findings).toSorted(),
      Object.keys(lintCodes).toSorted(),
      JSON.stringify(findings, null, 1),
    );
    for (const { code, severity, message, place } of findings) {
      if (!code.startsWith('SUTRA.LINT.')) continue;
      assert.equal(severity, 'warning');
      assert.ok(place.file !== undefined && place.line !== undefined && place.column !== undefined, code);
      assert.ok(place.file === 'channels.yaml' || place.elementId !== undefined, code);
      assert.match(message, /[;,] .*\.$/);
    }
  });

  it('are none of a deployment', () => {
    const { findings, model } = compilePackage(files(), { ceilings: operator });
    assert.ok(model !== null);
    assert.deepEqual(codesOf(findings), []);
  });

  it('need a package without errors', () => {
    const findings = lintFiles(files({ channels: channels.replace('transport: local', 'transport: near') }), {
      operator,
    });
    assert.ok(findings.some(({ severity }) => severity === 'error'));
    assert.deepEqual(codesOf(findings), []);
  });

  it("hold a package against the operator's ceilings, as a deployment does", () => {
    const [finding] = lintFiles(files({ channels: channels.replace('PT30S', 'PT5M') }), { operator });
    assert.equal(finding?.code, 'SUTRA.CHANNELS.CEILING_EXCEEDED');
    assert.ok(!lintFiles(files()).some(({ code }) => code === 'SUTRA.CHANNELS.CEILING_EXCEEDED'));
  });
});

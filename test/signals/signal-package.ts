/** Instances that wait for the signal `alarm`, one that throws it, and a process that it starts. */
import type { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

const http = (name: string): string =>
  `  - { name: ${name}, transport: http, bind: "POST /channels/${name}", ack-mode: on-persist }`;

const definitions = `<signal id="alarm-signal" name="alarm"/><signal id="calm-signal" name="calm"/>`;

/** Catches it; the payload becomes a variable. */
const catchAlarm = (id: string, variable: string, signal = 'alarm-signal'): string =>
  `<intermediateCatchEvent id="${id}"><extensionElements><q:output variable="${variable}"/></extensionElements>
    <signalEventDefinition id="${id}-definition" signalRef="${signal}"/></intermediateCatchEvent>`;

const throwAlarm = `<intermediateThrowEvent id="throw"><extensionElements><q:signal body="order"/></extensionElements>
  <signalEventDefinition id="throw-definition" signalRef="alarm-signal"/></intermediateThrowEvent>`;

const signalStart = `<startEvent id="start"><extensionElements><q:output variable="cause"/></extensionElements>
  <signalEventDefinition id="start-definition" signalRef="alarm-signal"/></startEvent>`;

export function signalPackage(version = '1.0.0', module = 'signals'): Record<string, string> {
  const channels = ['wait', 'calm', 'twice', 'risky', 'count', 'throw'].map((name) =>
    http(`${module}-${name}`),
  );
  const pulls = ['heard', 'started'].map((name) => `  - { name: ${module}-${name}, transport: pull }`);
  const from = (name: string): string => start(`${module}-${name}`, '', 'name="order"');
  return packageFiles({
    version,
    module,
    channels: [...channels, ...pulls].join('\n'),
    definitions,
    processes: {
      waiter: `${from('wait')}${catchAlarm('wait', 'got')}${call('tell', `${module}-heard`)}<endEvent id="end"/>
        ${flows('start -> wait', 'wait -> tell', 'tell -> end')}`,
      calm: `${from('calm')}${catchAlarm('wait', 'got', 'calm-signal')}${call('tell', `${module}-heard`)}<endEvent id="end"/>
        ${flows('start -> wait', 'wait -> tell', 'tell -> end')}`,
      twice: `${from('twice')}${catchAlarm('wait', 'got')}${catchAlarm('again', 'gotAgain')}<endEvent id="end"/>
        ${flows('start -> wait', 'wait -> again', 'again -> end')}`,
      // One branch waits while the other fails until its variable is written.
      risky: `${from('risky')}<parallelGateway id="fork"/>${catchAlarm('wait', 'got')}<userTask id="person"/>
        <exclusiveGateway id="choose"/><endEvent id="end"/><endEvent id="other-end"/>
        ${flows('start -> fork', 'fork -> wait', 'wait -> end', 'fork -> person', 'person -> choose')}
        <sequenceFlow id="chosen" sourceRef="choose" targetRef="other-end"><conditionExpression>isFine = true</conditionExpression></sequenceFlow>`,
      // Keeps what each signal brought, for ever.
      count: `${from('count')}<scriptTask id="init"><script>{ seen: [] }</script></scriptTask>${catchAlarm('wait', 'got')}
        <scriptTask id="keep"><script>{ seen: concatenate(seen, [got.n]) }</script></scriptTask>
        ${flows('start -> init', 'init -> wait', 'wait -> keep', 'keep -> wait')}`,
      thrower: `${from('throw')}${throwAlarm}<endEvent id="end"/>${flows('start -> throw', 'throw -> end')}`,
      started: `${signalStart}${call('tell', `${module}-started`)}<endEvent id="end"/>${flows('start -> tell', 'tell -> end')}`,
    },
  });
}

export async function begin(engine: TestEngine, channel: string, body: unknown = {}): Promise<string> {
  const answer = await engine.post(`/channels/signals-${channel}`, body);
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  return answer.body.instanceId;
}

/** The payload that each instance got, by instance, of the tasks that come before the wait is over. */
export async function toldOn(
  engine: TestEngine,
  channel: string,
  count: number,
): Promise<Map<string, Readonly<Record<string, unknown>>>> {
  const told = new Map<string, Readonly<Record<string, unknown>>>();
  while (told.size < count) {
    const tasks = await engine.fetchTasks(`signals-${channel}`, { maxTasks: 100 });
    if (tasks.length === 0) throw new Error(`${String(told.size)} of ${String(count)} were told in time`);
    for (const task of tasks) {
      if (told.has(task.instanceId)) throw new Error(`instance ${task.instanceId} was told twice`);
      told.set(task.instanceId, task.body);
      await engine.complete(task, {});
    }
  }
  return told;
}

export async function nothingOn(engine: TestEngine, channel: string): Promise<boolean> {
  return (await engine.fetchTasks(`signals-${channel}`, { asyncResponseTimeout: 'PT0S' })).length === 0;
}

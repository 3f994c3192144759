/** What the tests of deployments ask an engine again and again. */
import assert from 'node:assert/strict';
import type { TestEngine } from '../support/engine.ts';
import { call, flows, packageFiles, start } from '../support/packages.ts';

/** Of the engine under test, so that nothing waits long for what is only polled. */
export const fastPolling = { SUTRA_DEPLOYMENTS_POLL_INTERVAL: 'PT0.1S' } as const;

const patienceMs = 20_000;

/** Asks until the answer is the wanted one; the last answer is in the message of the failure. */
export async function becomes<T>(ask: () => Promise<T>, wanted: T): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    try {
      assert.deepEqual(answer, wanted);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** The state of each deployment by its version, retired ones too. */
export async function statesByVersion(engine: TestEngine, module = 'main'): Promise<Record<string, string>> {
  const answer = await engine.get(`/sutra/deployments?module=${module}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const rows = answer.body.deployments as unknown as { version: string; state: string }[];
  return Object.fromEntries(rows.map(({ version, state }) => [version, state]));
}

export interface OrderPackage {
  readonly version: string;
  readonly module?: string;
  /** The path that orders come in on. */
  readonly path?: string;
}

/** An order: a call on a pull channel, then a wait for its payment. Each version says who it is to workers. */
export function orderPackage({
  version,
  module = 'main',
  path = 'orders',
}: OrderPackage): Record<string, string> {
  return packageFiles({
    version,
    module,
    channels: `  - { name: orders, transport: http, bind: "POST /channels/${path}", ack-mode: on-persist }
  - { name: paid, transport: http, bind: "POST /channels/${path}/paid", ack-mode: on-persist }
  - { name: work, transport: pull }`,
    processes: {
      order: `${start('orders', '<q:alias name="orderId" expression="payload.orderId"/>')}
        ${call('work-it', 'work', `<q:param name="version" expression="&quot;${version}&quot;"/>`)}
        <receiveTask id="wait"><extensionElements><q:source channel="paid" name="payment"/><q:alias name="orderId" expression="payment.orderId"/></extensionElements></receiveTask>
        <endEvent id="end"/>${flows('start -> work-it', 'work-it -> wait', 'wait -> end')}`,
    },
  });
}

export async function sendOrder(engine: TestEngine, orderId: string, path = 'orders'): Promise<string> {
  const answer = await engine.post(`/channels/${path}`, { orderId });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.instanceId;
}

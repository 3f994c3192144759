/**
 * What the workers under faults work at: orders of one call each, which may end in a result, in a BPMN error that is
 * caught, or given up for good. One process and one channel for each scenario, so that many can run side by side in one
 * engine, and nobody takes another's tasks.
 */
import { call, flows, packageFiles, start } from '../support/packages.ts';

/**
 * What the handler does with an order. `plain`: answers. `retried`: fails once, then answers. `noted`: shows progress,
 * then answers. `extended`: extends its lock itself, then answers. `long`: answers after a third of its lock has passed.
 * `refused`: raises a BPMN error. `given-up`: says that nobody need try again. `left`: does not end on its own while the
 * worker has it that is about to stop; answers otherwise.
 */
export const orderKinds = [
  'plain',
  'retried',
  'noted',
  'extended',
  'long',
  'refused',
  'given-up',
  'left',
] as const;
export type OrderKind = (typeof orderKinds)[number];

export interface Order {
  readonly n: number;
  readonly kind: OrderKind;
}

export const REFUSED_CODE = 'ORDER_REFUSED';

export const ordersPathOf = (scenario: string): string => `/channels/orders-${scenario}`;
export const processOf = (scenario: string): string => `order-${scenario}`;
export const channelOf = (scenario: string): string => `work-${scenario}`;

/** Attempts cost nothing here: what ends an order early would hide what became of the others. */
const TASK = '{ retries: 1000, retry-timeout: PT0.1S }';

export function workerPackage(scenarios: readonly string[]): Record<string, string> {
  return packageFiles({
    definitions: `<error id="refusal" errorCode="${REFUSED_CODE}"/><error id="terminal" errorCode="SUTRA.EXTERNAL_TASK.TERMINAL"/>`,
    channels: scenarios
      .map(
        (
          scenario,
        ) => `  - { name: orders-${scenario}, transport: http, bind: "POST ${ordersPathOf(scenario)}", ack-mode: on-persist }
  - { name: ${channelOf(scenario)}, transport: pull, task: ${TASK} }`,
      )
      .join('\n'),
    processes: Object.fromEntries(scenarios.map((scenario) => [processOf(scenario), insideOf(scenario)])),
  });
}

function insideOf(scenario: string): string {
  return `${start(`orders-${scenario}`, '', 'name="order"')}
    ${call(
      'work',
      channelOf(scenario),
      '<q:param name="n" expression="order.n"/><q:param name="kind" expression="order.kind"/><q:output variable="result"/>',
    )}
    <boundaryEvent id="refused" attachedToRef="work"><errorEventDefinition errorRef="refusal"/></boundaryEvent>
    <boundaryEvent id="given-up" attachedToRef="work"><errorEventDefinition errorRef="terminal"/></boundaryEvent>
    <endEvent id="refused-end"/>
    <endEvent id="given-up-end"/>
    <endEvent id="end"/>
    ${flows('start -> work', 'work -> end', 'refused -> refused-end', 'given-up -> given-up-end')}`;
}

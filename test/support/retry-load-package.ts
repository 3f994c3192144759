/**
 * What runs while an engine is killed with retries under way: a call that workers may miss, a timer, a call that a
 * peer may refuse, and a call whose workers may give up. By the number of its order a process may be one of those
 * that end badly; the rest is chance.
 */
import { call, flows, packageFiles, start } from './packages.ts';

export const ASK_ATTEMPTS = 4;
export const QUOTE_ATTEMPTS = 3;
/** Of one attempt, of either call. */
export const CALL_TIMEOUT_MS = 1_000;

/** Whose workers never answer, so that all attempts time out. */
export const isUnanswered = (n: number): boolean => n % 8 === 0;
/** Whose peer always refuses. */
export const isRefused = (n: number): boolean => n % 9 === 1;
/** Whose worker says that nobody need try again. */
export const isGivenUp = (n: number): boolean => n % 6 === 2;
/** Which an operator cancels. */
export const isCancelled = (n: number): boolean => n % 7 === 3;

const n = '<q:param name="n" expression="order.n"/>';
const timeout = '<q:timeout duration="PT1S"/>';
const retry = (attempts: number): string =>
  `<q:retry maxAttempts="${String(attempts)}" initialDelay="PT0.1S" maxDelay="PT0.3S"/>`;

export function retryPackage(peerUrl: string): Record<string, string> {
  return packageFiles({
    definitions:
      '<error id="terminal" errorCode="SUTRA.EXTERNAL_TASK.TERMINAL"/><signal id="stop" name="retry-stop"/>',
    channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: answers, transport: http, bind: "POST /channels/answers", ack-mode: on-persist }
  - { name: asks, transport: pull }
  - { name: checks, transport: pull }
  - { name: peer, transport: http, bind: "${peerUrl}" }`,
    processes: {
      order: `${start('orders', '', 'name="order"')}
        ${call('ask', 'asks', `${n}${timeout}${retry(ASK_ATTEMPTS)}<q:alias name="order" expression="string(order.n)"/><q:output variable="asked"/>`)}
        <boundaryEvent id="stopped" attachedToRef="ask"><signalEventDefinition signalRef="stop"/></boundaryEvent>
        <endEvent id="not-needed"/>
        <intermediateCatchEvent id="pause"><timerEventDefinition id="t"><timeDuration>PT0.1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
        ${call('quote', 'peer', `${n}${timeout}${retry(QUOTE_ATTEMPTS)}<q:source channel="answers"/><q:output variable="quoted"/>`)}
        ${call('check', 'checks', `${n}<q:output variable="checked"/>`)}
        <boundaryEvent id="spent" attachedToRef="check"><errorEventDefinition errorRef="terminal"/></boundaryEvent>
        <endEvent id="given-up"/>
        <endEvent id="end"/>
        ${flows(
          'start -> ask',
          'stopped -> not-needed',
          'ask -> pause',
          'pause -> quote',
          'quote -> check',
          'spent -> given-up',
          'check -> end',
        )}`,
    },
  });
}

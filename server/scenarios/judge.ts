/** Holds what was found against what a scenario expects. Pure: every mismatch is listed, not the first. */
import { quoteText } from '../../config/quote-text.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import type {
  Expectations,
  Expected,
  ExpectedDelivery,
  ExpectedReply,
  InstanceExpectations,
} from '../../definitions/scenarios/scenario.ts';
import { ownProperty, type Value } from '../../definitions/value.ts';
import type { Delivery } from '../../engine/transport.ts';
import { contentOf } from './answer-book.ts';
import type { FoundInstance } from './found-instances.ts';
import { differenceIn } from './match.ts';
import { mismatch, type Mismatch } from './mismatch.ts';

export interface Found {
  readonly instances: readonly FoundInstance[];
  /** In the order of sending. */
  readonly sent: readonly Delivery[];
  /** Null: the first message was on no HTTP channel, or there was none. */
  readonly reply: FoundReply | null;
}

export interface FoundReply {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

type Place = Expected<unknown>['place'];

export function judge(expect: Expectations, found: Found): readonly Mismatch[] {
  return [
    ...judgeCount(expect, found.instances),
    ...judgeInstances(expect, found.instances),
    ...judgeSent(expect.sent, found.sent),
    ...expect.notSent.flatMap(({ value, place }) => {
      const count = found.sent.filter(({ channel }) => channel === value).length;
      return count === 0 ? [] : [failed(`something was sent on ${value}`, place, 'nothing', String(count))];
    }),
    ...(expect.reply === null ? [] : judgeReply(expect.reply, found.reply)),
  ];
}

/** The instance that `expect` itself is about, or undefined. */
export function subjectOf(
  { process }: Expectations,
  instances: readonly FoundInstance[],
): FoundInstance | undefined {
  return instances.find(({ processId }) => process === null || processId === process.value);
}

function judgeCount(
  { instances: expected }: Expectations,
  found: readonly FoundInstance[],
): readonly Mismatch[] {
  if (expected === null || expected.value === found.length) return [];
  const names = found.map(({ processId }) => processId).join(', ');
  const text = `${String(found.length)}${names === '' ? '' : `: ${names}`}`;
  return [failed('the number of instances is another', expected.place, String(expected.value), text)];
}

function judgeInstances(expect: Expectations, instances: readonly FoundInstance[]): readonly Mismatch[] {
  const mismatches: Mismatch[] = [];
  const taken = new Set<FoundInstance>();
  if (saysSomething(expect)) {
    const subject = subjectOf(expect, instances);
    if (subject === undefined) mismatches.push(noInstance(expect.process?.value ?? null, expect.place));
    else {
      taken.add(subject);
      mismatches.push(...judgeInstance(expect, subject));
    }
  }
  for (const other of expect.others) {
    const subject = instances.find((each) => each.processId === other.process.value && !taken.has(each));
    if (subject === undefined) mismatches.push(noInstance(other.process.value, other.place));
    else {
      taken.add(subject);
      mismatches.push(...judgeInstance(other, subject));
    }
  }
  return mismatches;
}

function saysSomething({
  status,
  failure,
  waitingAt,
  path,
  notPassed,
  variables,
  process,
}: Expectations): boolean {
  const said: readonly unknown[] = [status, failure, waitingAt, path, process];
  return said.some((each) => each !== null) || notPassed.length > 0 || variables.size > 0;
}

function noInstance(process: string | null, place: Place): Mismatch {
  return failed(
    `no ${process === null ? 'instance' : `other instance of ${process}`} was started`,
    place,
    null,
    null,
  );
}

function judgeInstance(expect: InstanceExpectations, found: FoundInstance): readonly Mismatch[] {
  return [
    ...judgeStatus(expect, found),
    ...judgePath(expect, found),
    ...expect.notPassed.flatMap(({ value, place }) =>
      found.path.includes(value) ? [failed(`${value} was passed`, place, null, found.path.join(' → '))] : [],
    ),
    ...judgeWaiting(expect, found),
    ...[...expect.variables].flatMap(([name, expected]) => judgeVariable(name, expected, found)),
  ];
}

function judgeStatus({ status, failure }: InstanceExpectations, found: FoundInstance): readonly Mismatch[] {
  const is = found.failure === null ? found.status : `${found.status}: ${describeFailure(found.failure)}`;
  if (failure !== null && found.failure?.code !== failure.value) {
    return [failed(`${found.processId} has not failed with that code`, failure.place, failure.value, is)];
  }
  if (status === null || status.value === found.status) return [];
  const waits = found.waitingAt.length === 0 ? is : `${is}, waiting at ${found.waitingAt.join(', ')}`;
  return [failed(`${found.processId} has another status`, status.place, status.value, waits)];
}

function describeFailure({ code, message, elementId }: NonNullable<FoundInstance['failure']>): string {
  return `${code}${elementId === null ? '' : ` at ${elementId}`}: ${message}`;
}

function judgePath({ path }: InstanceExpectations, found: FoundInstance): readonly Mismatch[] {
  let from = 0;
  for (const { value, place } of path ?? []) {
    const at = found.path.indexOf(value, from);
    if (at === -1) {
      const where = from === 0 ? '' : ` after ${found.path[from - 1] ?? ''}`;
      return [failed(`${value} was not passed${where}`, place, value, found.path.join(' → '))];
    }
    from = at + 1;
  }
  return [];
}

function judgeWaiting({ waitingAt }: InstanceExpectations, found: FoundInstance): readonly Mismatch[] {
  const missing = (waitingAt ?? []).filter(({ value }) => !found.waitingAt.includes(value));
  const is = found.waitingAt.length === 0 ? 'nowhere' : found.waitingAt.join(', ');
  return missing.map(({ value, place }) =>
    failed(`${found.processId} does not wait at ${value}`, place, value, is),
  );
}

function judgeVariable(
  name: string,
  { value, place }: Expected<Value>,
  found: FoundInstance,
): readonly Mismatch[] {
  const is = ownProperty(found.variables, name);
  const difference = differenceIn(value, is);
  if (difference === null) return [];
  const names = Object.keys(found.variables);
  const among = names.length === 0 ? 'no variables' : `no such variable; there are ${names.join(', ')}`;
  return [
    failed(
      `the variable ${name}${difference} is another`,
      place,
      shown(value),
      is === undefined ? among : shown(is),
    ),
  ];
}

/** In order; others may be between. */
function judgeSent(expected: readonly ExpectedDelivery[], sent: readonly Delivery[]): readonly Mismatch[] {
  let from = 0;
  for (const each of expected) {
    const at = sent.findIndex((delivery, index) => index >= from && isAsExpected(each, delivery));
    if (at === -1) return [notSent(each, sent, from)];
    from = at + 1;
  }
  return [];
}

function isAsExpected({ channel, body, text, headers }: ExpectedDelivery, delivery: Delivery): boolean {
  if (channel !== delivery.channel) return false;
  if (body !== null && differenceIn(body.value, contentOf(delivery.contentType, delivery.body)) !== null)
    return false;
  if (text !== null && text.value !== new TextDecoder().decode(delivery.body)) return false;
  return differenceIn(headers, lowerCase(delivery.headers)) === null;
}

function notSent(
  { channel, body, text, headers, place }: ExpectedDelivery,
  sent: readonly Delivery[],
  from: number,
): Mismatch {
  const wanted = [
    body === null ? '' : ` ${shown(body.value)}`,
    text === null ? '' : ` ${quoteText(text.value)}`,
    Object.keys(headers).length === 0 ? '' : ` with ${shown(headers)}`,
  ].join('');
  const rest = sent
    .slice(from)
    .map((each) => `${each.channel} ${shown(contentOf(each.contentType, each.body))}`);
  const is = rest.length === 0 ? 'nothing' : rest.join('; ');
  return failed(from === 0 ? 'it was not sent' : 'it was not sent next', place, `${channel}${wanted}`, is);
}

function judgeReply(expected: ExpectedReply, found: FoundReply | null): readonly Mismatch[] {
  const { status, body, text, headers, place } = expected;
  if (found === null)
    return [failed('there is no reply: the first message was on no HTTP channel', place, null, null)];
  const content = contentOf(found.contentType, found.body);
  const mismatches: Mismatch[] = [];
  const judgePart = (what: string, wanted: Expected<Value> | null, is: Value): void => {
    const difference = wanted === null ? null : differenceIn(wanted.value, is);
    if (wanted === null || difference === null) return;
    mismatches.push(
      failed(`the reply's ${what}${difference} is another`, wanted.place, shown(wanted.value), shown(is)),
    );
  };
  judgePart('status', status, found.status);
  judgePart('body', body, content);
  judgePart('text', text, new TextDecoder().decode(found.body));
  judgePart('headers', { value: headers, place }, lowerCase(found.headers));
  return mismatches;
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Enough to see the difference in most bodies. */
const MAX_SHOWN = 500;

export function shown(value: Value): string {
  const text = toPlainJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

function failed(message: string, place: Place, expected: string | null, found: string | null): Mismatch {
  return mismatch('SUTRA.SCENARIO.EXPECTATION_FAILED', message, place, { expected, found });
}

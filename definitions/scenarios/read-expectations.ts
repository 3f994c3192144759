/** `expect:`, what must be true in the end. */
import type { Place } from '../../config/engine-error.ts';
import type { Value } from '../value.ts';
import type { YamlEntry } from '../yaml-reader.ts';
import type { ScenarioCode } from './codes.ts';
import { refuseTogether, requireText } from './read-steps.ts';
import {
  instanceStatuses,
  type Expectations,
  type Expected,
  type ExpectedDelivery,
  type ExpectedReply,
  type InstanceExpectations,
} from './scenario.ts';
import { entriesOf, listOf, textsOf, valueOf } from './yaml-values.ts';

const instanceKeys = ['status', 'failure', 'waiting-at', 'path', 'not-passed', 'variables'] as const;
const MAX_INSTANCES = 200;

const nothing: Expectations = {
  ...{
    status: null,
    failure: null,
    waitingAt: null,
    path: null,
    notPassed: [],
    variables: new Map(),
    place: {},
  },
  ...{ process: null, instances: null, sent: [], notSent: [], reply: null, others: [] },
};

export function readExpectations(root: YamlEntry): Expectations {
  const entry = root.entry('expect', 'expect');
  if (entry === undefined) return nothing;
  entry.refuseUnknownKeys([...instanceKeys, 'process', 'instances', 'sent', 'not-sent', 'reply', 'others']);
  if (entry.keys().length === 0)
    entry.error(entry.file.codes.keyMissing, 'expect says nothing that must be true');
  return {
    ...readInstance(entry),
    process: expectedText(entry, 'process'),
    instances: expected(entry, 'instances', entry.integer('instances', 0, MAX_INSTANCES)),
    sent: entriesOf(entry, 'sent', (index) => `sent ${String(index + 1)}`).map(readDelivery),
    notSent: expectedNames(entry, 'not-sent') ?? [],
    reply: readReply(entry),
    others: entriesOf(entry, 'others', (index) => `instance ${String(index + 1)} of others`).map((other) => {
      other.refuseUnknownKeys([...instanceKeys, 'process']);
      const process = { value: requireText(other, 'process'), place: other.file.place(other.at('process')) };
      return { ...readInstance(other), process };
    }),
  };
}

function readInstance(entry: YamlEntry): InstanceExpectations {
  const status = entry.choice('status', instanceStatuses);
  if (entry.has('failure') && status !== undefined && status !== 'failed') {
    const code: ScenarioCode = 'SUTRA.SCENARIO.KEY_CONFLICT';
    entry.error(
      code,
      `failure of ${entry.what} is a failed instance's; its status cannot be ${status}`,
      'failure',
    );
  }
  return {
    status: expected(entry, 'status', status),
    failure: expectedText(entry, 'failure'),
    waitingAt: expectedNames(entry, 'waiting-at'),
    path: expectedNames(entry, 'path'),
    notPassed: expectedNames(entry, 'not-passed') ?? [],
    variables: readVariables(entry),
    place: entry.place,
  };
}

function readVariables(entry: YamlEntry): ReadonlyMap<string, Expected<Value>> {
  const variables = entry.entry('variables', `variables of ${entry.what}`);
  const read = (variables?.keys() ?? []).flatMap((name) => {
    const value = variables === undefined ? undefined : expectedValue(variables, name);
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  return new Map(read);
}

function readDelivery(entry: YamlEntry): ExpectedDelivery {
  entry.refuseUnknownKeys(['channel', 'body', 'text', 'headers']);
  refuseTogether(entry, ['body', 'text']);
  const { body, text, headers } = readContent(entry);
  return { channel: requireText(entry, 'channel'), body, text, headers, place: entry.place };
}

function readReply(expectations: YamlEntry): ExpectedReply | null {
  const entry = expectations.entry('reply', 'reply');
  if (entry === undefined) return null;
  entry.refuseUnknownKeys(['status', 'body', 'text', 'headers']);
  refuseTogether(entry, ['body', 'text']);
  const status = expected(entry, 'status', entry.integer('status', 100, 599));
  return { status, ...readContent(entry), place: entry.place };
}

function readContent(entry: YamlEntry): Pick<ExpectedReply, 'body' | 'text' | 'headers'> {
  return {
    body: expectedValue(entry, 'body'),
    text: expectedText(entry, 'text'),
    headers: textsOf(entry, 'headers'),
  };
}

function expected<Type>(entry: YamlEntry, key: string, value: Type | undefined): Expected<Type> | null {
  return value === undefined ? null : { value, place: placeOf(entry, key) };
}

function expectedText(entry: YamlEntry, key: string): Expected<string> | null {
  return expected(entry, key, entry.text(key));
}

function expectedValue(entry: YamlEntry, key: string): Expected<Value> | null {
  return expected(entry, key, valueOf(entry, key)?.value);
}

function expectedNames(entry: YamlEntry, key: string): readonly Expected<string>[] | null {
  const names = listOf(entry, key);
  return names?.map(({ text, offset }) => ({ value: text, place: entry.file.place(offset) })) ?? null;
}

function placeOf(entry: YamlEntry, key: string): Place {
  return entry.file.place(entry.at(key));
}

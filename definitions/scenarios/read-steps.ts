/** What comes in, and how time passes: `start`, `signal` and `send` at the top, then `later` in order. */
import { parseDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { YamlEntry } from '../yaml-reader.ts';
import type { ScenarioCode } from './codes.ts';
import type { AfterStep, CompleteStep, ScenarioStep, SendStep, SignalStep, StartStep } from './scenario.ts';
import { contextOf, entriesOf, textsOf, valueOf } from './yaml-values.ts';

const laterKinds = ['after', 'send', 'start', 'signal', 'complete'] as const;

export function readSteps(root: YamlEntry): readonly ScenarioStep[] {
  const steps: ScenarioStep[] = [
    ...readOne(root, 'start'),
    ...readOne(root, 'signal'),
    ...readOne(root, 'send'),
    ...(root.entries('later', (index) => `step ${String(index + 1)} of later`) ?? []).flatMap(readLater),
  ];
  if (steps.length === 0 && root.file.findings.length === 0) {
    root.error(
      root.file.codes.keyMissing,
      'the scenario needs something that happens: send, start, signal or later',
    );
  }
  return steps;
}

function readLater(entry: YamlEntry): readonly ScenarioStep[] {
  entry.refuseUnknownKeys(laterKinds);
  const [kind, ...others] = laterKinds.filter((key) => entry.has(key));
  if (kind === undefined) {
    entry.error(entry.file.codes.keyMissing, `${entry.what} needs one of ${laterKinds.join(', ')}`);
    return [];
  }
  if (others.length > 0) {
    const code: ScenarioCode = 'SUTRA.SCENARIO.KEY_CONFLICT';
    entry.error(code, `${entry.what} has ${[kind, ...others].join(' and ')}; write one step for each`);
  }
  return readOne(entry, kind);
}

function readOne(entry: YamlEntry, kind: (typeof laterKinds)[number]): readonly ScenarioStep[] {
  if (kind === 'after') return readAfter(entry);
  return entriesOf(entry, kind, (index) => (index === 0 ? kind : `${kind} ${String(index + 1)}`)).map(
    (step) => {
      switch (kind) {
        case 'send':
          return readSend(step);
        case 'start':
          return readStart(step);
        case 'signal':
          return readSignal(step);
        case 'complete':
          return readComplete(step);
      }
    },
  );
}

function readAfter(entry: YamlEntry): readonly AfterStep[] {
  const text = entry.text('after');
  if (text === undefined) return [];
  const duration = parseDuration(text);
  const place = entry.file.place(entry.at('after'));
  if (duration.ok) return [{ kind: 'after', durationMs: duration.ms, place }];
  const message = `after is ${quoteText(text)}; it must be an ISO-8601 duration such as PT5M`;
  entry.error(entry.file.codes.valueInvalid, message, 'after');
  return [];
}

function readSend(entry: YamlEntry): SendStep {
  entry.refuseUnknownKeys([
    ...['channel', 'body', 'text', 'base64', 'content-type', 'headers', 'type', 'refused', 'duplicate'],
  ]);
  refuseTogether(entry, ['body', 'text', 'base64']);
  refuseTogether(entry, ['refused', 'duplicate']);
  const type = entry.text('type');
  const { contentType, body } = readBody(entry);
  return {
    kind: 'send',
    channel: requireText(entry, 'channel'),
    contentType: entry.text('content-type') ?? contentType,
    body,
    headers: { ...textsOf(entry, 'headers'), ...(type === undefined ? {} : { 'ce-type': type }) },
    becomes: readBecomes(entry),
    place: entry.place,
  };
}

function readBecomes(entry: YamlEntry): SendStep['becomes'] {
  const refused = entry.text('refused');
  if (refused !== undefined) return { refused };
  return entry.boolean('duplicate') === true ? 'duplicate' : 'accepted';
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function readBody(entry: YamlEntry): { readonly contentType: string; readonly body: Uint8Array } {
  const encoder = new TextEncoder();
  const text = entry.text('text');
  if (text !== undefined) return { contentType: 'text/plain; charset=utf-8', body: encoder.encode(text) };
  const base64 = entry.text('base64');
  if (base64 === undefined) {
    return { contentType: 'application/json', body: encoder.encode(valueOf(entry, 'body')?.json ?? 'null') };
  }
  if (!BASE64.test(base64))
    entry.error(entry.file.codes.valueInvalid, `base64 of ${entry.what} is no base64`, 'base64');
  const bytes = BASE64.test(base64)
    ? Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    : new Uint8Array();
  return { contentType: 'application/octet-stream', body: bytes };
}

function readStart(entry: YamlEntry): StartStep {
  entry.refuseUnknownKeys(['process', 'variables', 'business-key']);
  const businessKey = entry.text('business-key');
  return {
    kind: 'start',
    process: requireText(entry, 'process'),
    // As POST /sutra/processes/{id}/start does with its businessKey.
    variables: {
      ...contextOf(entry, 'variables'),
      ...(businessKey === undefined ? {} : { businessKey }),
    },
    place: entry.place,
  };
}

function readSignal(entry: YamlEntry): SignalStep {
  entry.refuseUnknownKeys(['name', 'payload']);
  const payload = valueOf(entry, 'payload')?.value ?? null;
  return { kind: 'signal', name: requireText(entry, 'name'), payload, place: entry.place };
}

function readComplete(entry: YamlEntry): CompleteStep {
  entry.refuseUnknownKeys(['element', 'variables']);
  const variables = contextOf(entry, 'variables') ?? {};
  return { kind: 'complete', element: requireText(entry, 'element'), variables, place: entry.place };
}

/** Notes the key when it is missing; its text, or the empty one in a file that will not be run. */
export function requireText(entry: YamlEntry, key: string): string {
  if (!entry.has(key)) entry.missing(key);
  return entry.text(key) ?? '';
}

export function refuseTogether(entry: YamlEntry, keys: readonly string[]): void {
  const [, second] = keys.filter((key) => entry.has(key));
  if (second === undefined) return;
  const code: ScenarioCode = 'SUTRA.SCENARIO.KEY_CONFLICT';
  entry.error(code, `${entry.what} takes only one of ${keys.join(', ')}`, second);
}

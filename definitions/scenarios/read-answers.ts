/** `workers:`, what is answered on each channel: one answer for all, or a list that is used up in order. */
import { parseDuration } from '../../config/iso8601.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { CompiledExpression } from '../feel.ts';
import type { YamlEntry } from '../yaml-reader.ts';
import { isSeq } from 'yaml';
import type { ScenarioCode } from './codes.ts';
import { refuseTogether } from './read-steps.ts';
import type { Answer, AnswerOutcome, AnswerResult, BpmnErrorOutcome, ChannelAnswers } from './scenario.ts';
import { contextOf, entriesOf, valueOf } from './yaml-values.ts';

/** What an answer's expressions can see. */
export const answerNames = ['body', 'headers', 'attempt', 'element'] as const;

const outcomeKeys = ['result', 'result-expression', 'text', 'failure', 'bpmn-error', 'left-open'] as const;
const MAX_TIMES = 10_000;
const MAX_RETRIES = 1_000;
/** As the pull surface takes them, in characters. */
const MAX_CODE_LENGTH = 255;
const MAX_MESSAGE_LENGTH = 4_000;

export function readAnswers(root: YamlEntry): ReadonlyMap<string, ChannelAnswers> {
  const workers = root.entry('workers', 'workers');
  return new Map(
    (workers?.keys() ?? []).map((channel) => {
      const answers = workers === undefined ? [] : readChannel(workers, channel);
      return [channel, { answers, place: root.file.place(workers?.keyAt(channel) ?? root.offset) }];
    }),
  );
}

function readChannel(workers: YamlEntry, channel: string): readonly Answer[] {
  const isList = isSeq(workers.node(channel));
  const describe = (index: number): string =>
    isList ? `answer ${String(index + 1)} on ${quoteText(channel)}` : `the answer on ${quoteText(channel)}`;
  return entriesOf(workers, channel, describe).map((entry) => readAnswer(entry, isList));
}

function readAnswer(entry: YamlEntry, isOneOfMany: boolean): Answer {
  entry.refuseUnknownKeys(['when', 'times', ...outcomeKeys, 'retries', 'retry-after', 'code', 'status']);
  refuseTogether(entry, outcomeKeys);
  return {
    when: entry.has('when') ? (readExpression(entry, 'when') ?? null) : null,
    times: isOneOfMany || entry.has('times') ? readTimes(entry) : null,
    outcome: readOutcome(entry),
    place: entry.place,
  };
}

function readTimes(entry: YamlEntry): number | null {
  if (!entry.has('times')) return 1;
  const node = entry.node('times');
  if (node !== null && node !== undefined && 'value' in node && node.value === 'always') return null;
  return entry.integer('times', 1, MAX_TIMES) ?? 1;
}

function readOutcome(entry: YamlEntry): AnswerOutcome {
  const failure = entry.text('failure');
  const isFailure = entry.has('failure');
  for (const key of ['retries', 'retry-after', 'code']) {
    if (entry.has(key) && !isFailure) conflict(entry, key, 'a failure');
  }
  if (isFailure) {
    if (entry.has('status')) conflict(entry, 'status', 'a result');
    const retries = entry.integer('retries', 0, MAX_RETRIES) ?? null;
    return {
      kind: 'failure',
      message: failure ?? '',
      retries,
      retryAfter: readRetryAfter(entry),
      code: entry.text('code') ?? null,
    };
  }
  if (entry.has('bpmn-error')) {
    if (entry.has('status')) conflict(entry, 'status', 'a result');
    return readBpmnError(entry);
  }
  if (entry.has('left-open')) {
    if (entry.boolean('left-open') === false)
      entry.error(
        entry.file.codes.valueInvalid,
        `left-open of ${entry.what} must be true or left out`,
        'left-open',
      );
    return { kind: 'left-open' };
  }
  const status = entry.integer('status', 100, 599) ?? null;
  return { kind: 'result', result: readResult(entry), status };
}

function readBpmnError(entry: YamlEntry): BpmnErrorOutcome {
  const error = entry.entry('bpmn-error', `bpmn-error of ${entry.what}`);
  error?.refuseUnknownKeys(['code', 'message', 'variables']);
  if (error?.has('code') === false) error.missing('code');
  return {
    kind: 'bpmn-error',
    code: (error === undefined ? undefined : boundedText(error, 'code', 1, MAX_CODE_LENGTH)) ?? '',
    codePlace: entry.file.place(error?.at('code') ?? entry.at('bpmn-error')),
    message: (error === undefined ? undefined : boundedText(error, 'message', 0, MAX_MESSAGE_LENGTH)) ?? null,
    variables: (error === undefined ? undefined : contextOf(error, 'variables')) ?? null,
  };
}

function boundedText(entry: YamlEntry, key: string, min: number, max: number): string | undefined {
  const text = entry.text(key);
  if (text === undefined || (text.length >= min && text.length <= max)) return text;
  const message = `${key} of ${entry.what} has ${String(text.length)} characters; it must have ${String(min)} to ${String(max)}`;
  entry.error(entry.file.codes.valueInvalid, message, key);
  return undefined;
}

function readResult(entry: YamlEntry): AnswerResult {
  if (entry.has('result-expression')) {
    const expression = readExpression(entry, 'result-expression');
    return expression === undefined ? { kind: 'nothing' } : { kind: 'expression', expression };
  }
  const text = entry.text('text');
  if (text !== undefined) return { kind: 'text', text };
  if (entry.has('result')) return { kind: 'value', value: valueOf(entry, 'result')?.value ?? null };
  if (!entry.has('status') && !entry.has('text')) {
    entry.error(entry.file.codes.keyMissing, `${entry.what} needs one of ${outcomeKeys.join(', ')}`);
  }
  return { kind: 'nothing' };
}

function readRetryAfter(entry: YamlEntry): string | null {
  const text = entry.text('retry-after');
  if (text === undefined || parseDuration(text).ok) return text ?? null;
  const message = `retry-after is ${quoteText(text)}; it must be an ISO-8601 duration such as PT10S`;
  entry.error(entry.file.codes.valueInvalid, message, 'retry-after');
  return null;
}

function readExpression(entry: YamlEntry, key: string): CompiledExpression | undefined {
  const expression = entry.expression(key);
  const unknown = expression?.names.find((name) => !answerNames.some((known) => known === name));
  if (unknown !== undefined) {
    const message = `${key} of ${entry.what} names ${quoteText(unknown)}; it can only see ${answerNames.join(', ')}`;
    entry.error(entry.file.codes.valueInvalid, message, key);
  }
  return expression;
}

function conflict(entry: YamlEntry, key: string, onlyWith: string): void {
  const code: ScenarioCode = 'SUTRA.SCENARIO.KEY_CONFLICT';
  entry.error(code, `${key} of ${entry.what} means nothing without ${onlyWith}`, key);
}

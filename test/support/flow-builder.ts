/**
 * Flows as trees, one call a step, as they are when they have been read. Every text stands on a line of its own, in
 * the order in which the calls are made.
 */
import type {
  Branch,
  CallStep,
  ChooseStep,
  EndStep,
  Flow,
  FlowAlias,
  FlowMessage,
  FlowReply,
  FlowRetry,
  FlowSource,
  FlowTimer,
  ForEachStep,
  Handler,
  Pair,
  ParallelStep,
  RepeatStep,
  Start,
  Step,
  Steps,
  Trigger,
  TryStep,
  WaitFirstStep,
} from '../../definitions/flows/flow.ts';
import type { PlaceSource } from '../../definitions/xml/translated-document.ts';
import type { Written } from '../../definitions/written.ts';

export const FLOW_FILE = 'flows/test.yaml';

let lineCount = 0;

export function written(text: string): Written {
  lineCount += 1;
  const line = lineCount;
  const at = (column: number) => ({ file: FLOW_FILE, line, column });
  return { text, place: () => at(1), inside: (index) => at(index + 1) };
}

const maybe = (text: string | undefined): Written | null => (text === undefined ? null : written(text));

type Texts = Readonly<Record<string, string>>;

function pairs(texts: Texts = {}): readonly Pair[] {
  return Object.entries(texts).map(([name, value]) => ({ name: written(name), value: written(value) }));
}

interface Head {
  readonly id: Written;
  readonly isIdGiven: true;
  readonly name: null;
  readonly place: PlaceSource;
}

function head(id: string): Head {
  const text = written(id);
  return { id: text, isIdGiven: true, name: null, place: text.place };
}

// --- flows ---------------------------------------------------------------------------------------

export interface FlowOptions {
  /** Without any: started by its id. */
  readonly starts?: readonly Start[];
  /** Names to types. */
  readonly variables?: Texts;
}

export function flow(id: string, steps: Steps, options: FlowOptions = {}): Flow {
  const { starts = [start('start')], variables = {} } = options;
  const text = written(id);
  return {
    id: text,
    name: null,
    place: text.place,
    variables: pairs(variables).map(({ name, value }) => ({
      name,
      type: value,
      isSensitive: false,
      isTransient: false,
    })),
    starts,
    steps,
  };
}

/** Without a trigger it is the one by id. */
export function start(id: string, trigger: Trigger | null = null): Start {
  return { ...head(id), trigger, aliases: [] };
}

// --- what is waited for --------------------------------------------------------------------------

export interface MessageOptions {
  readonly variable?: string;
  readonly type?: string;
  readonly aliases?: Texts;
}

export const on = {
  message: (channel: string, options: MessageOptions = {}): Trigger => ({
    kind: 'message',
    source: source(channel, options),
    aliases: aliases(options.aliases),
  }),
  timer: (kind: FlowTimer['kind'], value: string): Trigger => ({ kind: 'timer', timer: timer(kind, value) }),
  signal: (signal: string, variable?: string): Trigger => ({
    kind: 'signal',
    signal: written(signal),
    variable: maybe(variable),
  }),
  condition: (condition: string): Trigger => ({ kind: 'condition', condition: written(condition) }),
};

function source(channel: string, { variable, type }: MessageOptions): FlowSource {
  return {
    channel: written(channel),
    variable: maybe(variable),
    isMerged: false,
    type: maybe(type),
    typePattern: null,
    dedupKey: null,
  };
}

function timer(kind: FlowTimer['kind'], value: string): FlowTimer {
  return { kind, value: written(value) };
}

function aliases(texts: Texts = {}): readonly FlowAlias[] {
  return pairs(texts).map(({ name, value }) => ({
    name,
    expression: value,
    message: null,
    isUnique: false,
    onConflict: null,
    isMulti: false,
  }));
}

// --- steps of one thing --------------------------------------------------------------------------

export interface CallOptions {
  readonly input?: Texts;
  readonly output?: string;
  readonly headers?: Texts;
  readonly timeout?: string;
  readonly retry?: {
    readonly maxAttempts: string;
    readonly initialDelay?: string;
    readonly backoffCoefficient?: string;
    readonly maxDelay?: string;
    /** Separated by spaces. */
    readonly nonRetryableCodes?: string;
  };
  readonly response?: string;
  readonly aliases?: Texts;
  /** Codes to conditions. */
  readonly throws?: Texts;
}

export function call(id: string, target: string, options: CallOptions = {}): CallStep {
  return {
    verb: 'call',
    ...head(id),
    target: written(target),
    input: pairs(options.input),
    output: maybe(options.output),
    headers: pairs(options.headers),
    timeout: maybe(options.timeout),
    retry: options.retry === undefined ? null : retry(options.retry),
    aliases: aliases(options.aliases),
    response: options.response === undefined ? null : source(options.response, {}),
    throws: pairs(options.throws).map(({ name, value }) => ({ code: name, when: value })),
  };
}

function retry(of: NonNullable<CallOptions['retry']>): FlowRetry {
  const maxAttempts = written(of.maxAttempts);
  return {
    place: maxAttempts.place,
    maxAttempts,
    initialDelay: maybe(of.initialDelay),
    backoffCoefficient: maybe(of.backoffCoefficient),
    maxDelay: maybe(of.maxDelay),
    nonRetryableCodes: maybe(of.nonRetryableCodes),
  };
}

export interface MessageParts {
  readonly channel?: string;
  readonly destination?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly headers?: Texts;
}

function messageParts(parts: MessageParts): FlowMessage {
  return {
    channel: maybe(parts.channel),
    destination: maybe(parts.destination),
    contentType: maybe(parts.contentType),
    body: maybe(parts.body),
    headers: pairs(parts.headers),
  };
}

export function send(id: string, parts: MessageParts): Step {
  return { verb: 'send', ...head(id), message: messageParts(parts) };
}

export interface ReplyParts {
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Texts;
  readonly isContinued?: boolean;
}

function replyParts({ body, contentType, headers, isContinued = false }: ReplyParts): FlowReply {
  return { body: maybe(body), contentType: maybe(contentType), headers: pairs(headers), isContinued };
}

export function reply(id: string, parts: ReplyParts): Step {
  return { verb: 'reply', ...head(id), reply: replyParts(parts) };
}

export function signal(id: string, name: string, body?: string): Step {
  return { verb: 'signal', ...head(id), signal: written(name), body: maybe(body) };
}

export function escalate(id: string, code: string): Step {
  return { verb: 'escalate', ...head(id), code: written(code) };
}

/** Without a target: all. */
export function compensate(id: string, target?: string): Step {
  return { verb: 'compensate', ...head(id), target: maybe(target) };
}

export function wait(id: string, trigger: Trigger): Step {
  return { verb: 'wait', ...head(id), trigger };
}

export function decide(id: string, decision: string, input?: Texts, output?: string): Step {
  return {
    verb: 'decide',
    ...head(id),
    decision: written(decision),
    input: pairs(input),
    output: maybe(output),
  };
}

export function set(id: string, assignments: Texts): Step {
  return { verb: 'set', ...head(id), assignments: pairs(assignments) };
}

export function callFlow(id: string, process: string, input?: Texts, output?: Texts): Step {
  return {
    verb: 'flow',
    ...head(id),
    process: written(process),
    input: pairs(input),
    output: pairs(output),
  };
}

export interface EndOptions {
  readonly isTerminating?: boolean;
  readonly message?: MessageParts;
  readonly reply?: ReplyParts;
}

export function end(id: string, options: EndOptions = {}): EndStep {
  const { isTerminating = false, message, reply: answer } = options;
  return {
    verb: 'end',
    ...head(id),
    isTerminating,
    message: message === undefined ? null : messageParts(message),
    reply: answer === undefined ? null : replyParts(answer),
  };
}

export function fail(id: string, code: string): Step {
  return { verb: 'fail', ...head(id), code: written(code) };
}

// --- steps with steps inside ---------------------------------------------------------------------

/** Conditions to steps, and what else. Without `otherwise` it goes on. */
export function choose(
  id: string,
  cases: readonly (readonly [when: string, ...steps: Step[]])[],
  otherwise: Steps | null = null,
): ChooseStep {
  return {
    verb: 'choose',
    ...head(id),
    cases: cases.map(([when, ...steps]) => {
      const text = written(when);
      return { when: text, name: null, steps, place: text.place };
    }),
    otherwise,
  };
}

export function waitFirst(
  id: string,
  alternatives: readonly (readonly [id: string, trigger: Trigger, ...steps: Step[]])[],
): WaitFirstStep {
  return {
    verb: 'wait-first',
    ...head(id),
    alternatives: alternatives.map(([own, trigger, ...steps]) => ({ ...head(own), trigger, steps })),
  };
}

function parallel(id: string, until: ParallelStep['until'], branches: readonly Steps[]): ParallelStep {
  const made = branches.map((steps): Branch => ({ name: null, place: written('').place, steps }));
  return { verb: 'parallel', ...head(id), until, branches: made };
}

export function all(id: string, ...branches: readonly Steps[]): ParallelStep {
  return parallel(id, 'all', branches);
}

export function any(id: string, ...branches: readonly Steps[]): ParallelStep {
  return parallel(id, 'any', branches);
}

export interface ForEachOptions {
  readonly isOneByOne?: boolean;
  readonly until?: string;
  /** The list and what in each goes into it. */
  readonly collect?: readonly [list: string, value: string];
}

export function forEach(
  id: string,
  item: string,
  collection: string,
  steps: Steps,
  { isOneByOne = false, until, collect }: ForEachOptions = {},
): ForEachStep {
  return {
    verb: 'for-each',
    ...head(id),
    item: written(item),
    collection: written(collection),
    isParallel: !isOneByOne,
    until: maybe(until),
    collect: collect === undefined ? null : { list: written(collect[0]), value: written(collect[1]) },
    steps,
  };
}

export interface RepeatOptions {
  readonly while?: string;
  readonly until?: string;
  readonly atMost?: string;
}

export function repeat(id: string, options: RepeatOptions, steps: Steps): RepeatStep {
  const text = options.while ?? options.until;
  const kind = options.while === undefined ? 'until' : 'while';
  return {
    verb: 'repeat',
    ...head(id),
    condition: text === undefined ? null : { kind, expression: written(text) },
    atMost: maybe(options.atMost),
    steps,
  };
}

export interface TryOptions {
  readonly handlers?: readonly Handler[];
  readonly undo?: Steps;
}

export function attempt(id: string, steps: Steps, { handlers = [], undo }: TryOptions = {}): TryStep {
  return {
    verb: 'try',
    ...head(id),
    steps,
    handlers,
    compensation: undo === undefined ? null : { place: written('').place, steps: undo },
  };
}

/** Without a code: any error. */
export function onError(
  id: string,
  steps: Steps,
  options: { readonly code?: string; readonly codeVariable?: string; readonly messageVariable?: string } = {},
): Handler {
  return {
    kind: 'error',
    ...head(id),
    steps,
    code: maybe(options.code),
    codeVariable: maybe(options.codeVariable),
    messageVariable: maybe(options.messageVariable),
  };
}

export function onTimeout(
  id: string,
  [kind, value]: readonly [FlowTimer['kind'], string],
  steps: Steps,
  { isInterrupting = true }: { readonly isInterrupting?: boolean } = {},
): Handler {
  return { kind: 'timeout', ...head(id), steps, timer: timer(kind, value), isInterrupting };
}

/** Without a code: any escalation. */
export function onEscalation(
  id: string,
  steps: Steps,
  options: {
    readonly code?: string;
    readonly codeVariable?: string;
    readonly isInterrupting?: boolean;
  } = {},
): Handler {
  return {
    kind: 'escalation',
    ...head(id),
    steps,
    code: maybe(options.code),
    codeVariable: maybe(options.codeVariable),
    isInterrupting: options.isInterrupting ?? true,
  };
}

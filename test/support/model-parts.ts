/** What the nodes of a test's model are made of: events, sources, data mappings, loops. Nodes: `model-builder.ts`. */
import { compileExpression, type CompiledExpression } from '../../definitions/feel.ts';
import type {
  ActivityData,
  AliasDefinition,
  CatchDefinition,
  DataMapping,
  HeaderDefinition,
  LoopDefinition,
  ParamDefinition,
  ReplyDefinition,
  SendDefinition,
  SourceDefinition,
  StoreReference,
  ThrowDefinition,
} from '../../definitions/model.ts';

export const place = { file: 'test.bpmn', line: 1, column: 1 };

/** Names to FEEL expressions. */
export type Expressions = Readonly<Record<string, string>>;

export function optional(text: string | undefined): CompiledExpression | null {
  return text === undefined ? null : compileExpression(text);
}

// --- messages and replies --------------------------------------------------------------------------

export interface SourceOptions {
  readonly variable?: string;
  /** An exact type, or a pattern when it holds a `*`. */
  readonly type?: string;
}

export function source(channel: string, options: SourceOptions = {}): SourceDefinition {
  const { type, variable = 'payload' } = options;
  const messageType =
    type === undefined
      ? ({ kind: 'any' } as const)
      : type.includes('*')
        ? ({ kind: 'pattern', pattern: type } as const)
        : ({ kind: 'exact', value: type } as const);
  return {
    channel,
    variable,
    mergesPayload: false,
    messageType,
    dedupKey: null,
    ack: null,
    dataClass: null,
    place,
  };
}

export function aliases(expressions: Expressions = {}, isUnique = false): readonly AliasDefinition[] {
  return Object.entries(expressions).map(([name, text]) => ({
    name,
    expression: compileExpression(text),
    messageExpression: null,
    isUnique,
    onConflict: 'reject',
    isMulti: false,
    place,
  }));
}

export function headers(expressions: Expressions = {}): readonly HeaderDefinition[] {
  return Object.entries(expressions).map(([name, text]) => ({ name, value: compileExpression(text) }));
}

export function params(expressions: Expressions = {}): readonly ParamDefinition[] {
  return Object.entries(expressions).map(([name, text]) => ({ name, expression: compileExpression(text) }));
}

export interface SendOptions {
  readonly channel?: string;
  readonly destination?: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly headers?: Expressions;
}

export function send(options: SendOptions): SendDefinition {
  return {
    channel: options.channel ?? null,
    destination: optional(options.destination),
    contentType: options.contentType ?? null,
    body: optional(options.body),
    headers: headers(options.headers),
    place,
  };
}

export function reply(body: string | undefined): ReplyDefinition | null {
  if (body === undefined) return null;
  return { contentType: null, body: compileExpression(body), headers: [], isContinued: false, place };
}

// --- what events catch -----------------------------------------------------------------------------

/** One event definition, several of which the first one counts, or several that all must occur. */
export type Triggers =
  CatchDefinition | readonly CatchDefinition[] | { readonly allOf: readonly CatchDefinition[] };

export function allOf(...events: readonly CatchDefinition[]): Triggers {
  return { allOf: events };
}

/** The `triggers` and `isParallelMultiple` of a catching event. */
export function catching(triggers: Triggers): object {
  if ('allOf' in triggers) return { triggers: triggers.allOf, isParallelMultiple: true, outputs: [] };
  return {
    triggers: 'kind' in triggers ? [triggers] : triggers,
    isParallelMultiple: false,
    outputs: [],
  };
}

/** A duration worked out by a FEEL expression. */
export function timer(text: string): CatchDefinition {
  const expression = compileExpression(text);
  return { kind: 'timer', timer: { kind: 'duration', expression, durationMs: null, place } };
}

export function timerMs(durationMs: number): CatchDefinition {
  return { kind: 'timer', timer: { kind: 'duration', expression: null, durationMs, place } };
}

export function timerDate(text: string): CatchDefinition {
  const expression = compileExpression(text);
  return { kind: 'timer', timer: { kind: 'date', expression, dueAtMs: null, place } };
}

/** @param repetitions null: without end */
export function timerCycle(repetitions: number | null, intervalMs: number): CatchDefinition {
  const cycle = { repetitions, intervalMs };
  return { kind: 'timer', timer: { kind: 'cycle', expression: null, cycle, place } };
}

/** A FEEL expression that yields such a text as `R3/PT10S`. */
export function timerCycleOf(text: string): CatchDefinition {
  const expression = compileExpression(text);
  return { kind: 'timer', timer: { kind: 'cycle', expression, cycle: null, place } };
}

export function message(
  channel: string,
  options: SourceOptions & { readonly aliases?: Expressions; readonly isUnique?: boolean } = {},
): CatchDefinition {
  const registered = aliases(options.aliases, options.isUnique);
  return { kind: 'message', source: source(channel, options), aliases: registered };
}

export function signal(name: string, variable: string | null = null): CatchDefinition {
  return { kind: 'signal', name, variable, place };
}

export function conditional(text: string): CatchDefinition {
  return { kind: 'conditional', condition: compileExpression(text), place };
}

export function error(
  errorCode: string | null,
  codeVariable: string | null = null,
  messageVariable: string | null = null,
): CatchDefinition {
  return { kind: 'error', errorCode, codeVariable, messageVariable };
}

export function escalation(
  escalationCode: string | null,
  codeVariable: string | null = null,
): CatchDefinition {
  return { kind: 'escalation', escalationCode, codeVariable };
}

/** Of a boundary event with its handler, or without one of an event sub-process. */
export function compensation(handlerId: string | null = null): CatchDefinition {
  return { kind: 'compensation', handlerId };
}

export const cancelled: CatchDefinition = { kind: 'cancel' };

export function link(name: string): CatchDefinition {
  return { kind: 'link', name };
}

// --- what events throw -----------------------------------------------------------------------------

export const throws = {
  message: (options: SendOptions): ThrowDefinition => ({ kind: 'message', send: send(options) }),
  signal: (name: string, body?: string): ThrowDefinition => ({ kind: 'signal', name, body: optional(body) }),
  error: (errorCode: string): ThrowDefinition => ({ kind: 'error', errorCode }),
  escalation: (escalationCode: string | null): ThrowDefinition => ({ kind: 'escalation', escalationCode }),
  /** Of one activity, or of all in the scope; goes on when the handlers are done. */
  compensation: (activityId: string | null = null): ThrowDefinition => ({
    kind: 'compensation',
    activityId,
    waitsForCompletion: true,
  }),
  /** Goes on at once. */
  compensationAside: (activityId: string | null = null): ThrowDefinition => ({
    kind: 'compensation',
    activityId,
    waitsForCompletion: false,
  }),
  cancel: { kind: 'cancel' } as ThrowDefinition,
  terminate: { kind: 'terminate' } as ThrowDefinition,
  link: (targetId: string): ThrowDefinition => ({ kind: 'link', targetId }),
};

// --- data ------------------------------------------------------------------------------------------

export interface StoreOptions {
  readonly field?: string;
  readonly isForUpdate?: boolean;
  readonly expect?: string;
}

/** The record of a data store whose key the FEEL expression `key` yields. */
export function record(store: string, key: string, options: StoreOptions = {}): StoreReference {
  return {
    store,
    key: compileExpression(key),
    isForUpdate: options.isForUpdate ?? false,
    field: options.field ?? null,
    expect: optional(options.expect),
    place,
  };
}

/** `to.path = expression` */
export function assigning(text: string): DataMapping {
  const [to = '', ...from] = text.split(' = ');
  return {
    from: { kind: 'expression', expression: compileExpression(from.join(' = ')) },
    to: { kind: 'variable', path: to.split('.') },
    place,
  };
}

export function reading(variable: string, store: StoreReference): DataMapping {
  return { from: { kind: 'store', store }, to: { kind: 'variable', path: variable.split('.') }, place };
}

export function writing(store: StoreReference, expression: string): DataMapping {
  const from = { kind: 'expression', expression: compileExpression(expression) } as const;
  return { from, to: { kind: 'store', store }, place };
}

export interface DataOptions {
  readonly locals?: readonly string[];
  readonly inputs?: readonly (string | DataMapping)[];
  readonly outputs?: readonly (string | DataMapping)[];
}

export function activityData(options: DataOptions = {}): ActivityData {
  const mappings = (list: readonly (string | DataMapping)[] = []): readonly DataMapping[] =>
    list.map((item) => (typeof item === 'string' ? assigning(item) : item));
  return {
    locals: options.locals ?? [],
    inputs: mappings(options.inputs),
    outputs: mappings(options.outputs),
    isClosed: false,
  };
}

// --- loops -----------------------------------------------------------------------------------------

/** Runs while `condition` holds, at most `maximum` times. */
export function standardLoop(options: {
  readonly condition?: string;
  readonly maximum?: number;
  readonly isTestedBefore?: boolean;
}): LoopDefinition {
  const { condition, maximum = null, isTestedBefore = false } = options;
  return { kind: 'standard', isTestedBefore, condition: optional(condition), maximum, place };
}

export interface MultiOptions {
  readonly isSequential?: boolean;
  /** `x -> list`: the value of each run's `x` goes into the list `list`. */
  readonly output?: string;
  readonly until?: string;
}

/** Once for each item: `item in collection`, or a collection alone. */
export function each(text: string, options: MultiOptions = {}): LoopDefinition {
  const [, item, collection] = /^(\w+) in (.*)$/.exec(text) ?? [];
  return multiInstance(
    { cardinality: null, collection: compileExpression(collection ?? text), itemVariable: item ?? null },
    options,
  );
}

/** As often as the expression says. */
export function times(cardinality: string, options: MultiOptions = {}): LoopDefinition {
  return multiInstance(
    { cardinality: compileExpression(cardinality), collection: null, itemVariable: null },
    options,
  );
}

function multiInstance(
  over: {
    readonly cardinality: CompiledExpression | null;
    readonly collection: CompiledExpression | null;
    readonly itemVariable: string | null;
  },
  options: MultiOptions,
): LoopDefinition {
  const [outputItemVariable = null, outputCollection = null] = options.output?.split(' -> ') ?? [];
  return {
    kind: 'multiInstance',
    isSequential: options.isSequential ?? false,
    ...over,
    outputItemVariable,
    outputCollection,
    completionCondition: optional(options.until),
    place,
  };
}

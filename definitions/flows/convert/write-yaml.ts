/**
 * A flow as the YAML text that a person would write.
 *
 * Y1 What the text says when it is read is the flow that was written, ids included.
 * Y2 Nothing is written that goes without saying: an id that is derived anyhow, an option with its default.
 */
import { stringify } from 'yaml';
import type { Written } from '../../written.ts';
import type {
  EndStep,
  Audit,
  Flow,
  FlowAlias,
  FlowMessage,
  FlowReply,
  FlowRetry,
  FlowSource,
  FlowTimer,
  FlowVariable,
  Handler,
  Pair,
  Start,
  Step,
  Steps,
  Trigger,
  TryStep,
  Verb,
} from '../flow.ts';
import { WrittenIds } from './write-ids.ts';

type Yaml = string | number | boolean | null | readonly Yaml[] | ReadonlyMap<string, Yaml>;
/** Undefined: the key is left out. */
type Entry = readonly [string, Yaml | undefined];

type StepOf<V extends Verb> = Extract<Step, { readonly verb: V }>;

export function writeYaml(flow: Flow): string {
  const writer = new FlowWriter(new WrittenIds(flow));
  // A long expression stays in its line: breaking it is the author's business.
  const style = { lineWidth: 0, nullStr: '', blockQuote: 'literal', indentSeq: true } as const;
  return stringify(writer.flow(flow), style);
}

class FlowWriter {
  readonly #ids: WrittenIds;

  constructor(ids: WrittenIds) {
    this.#ids = ids;
  }

  flow(flow: Flow): ReadonlyMap<string, Yaml> {
    const start = this.#starts(flow.starts);
    return mapping(
      ['id', flow.id.text],
      ['name', text(flow.name)],
      ['audit', audit(flow.audit)],
      ['variables', flow.variables.length === 0 ? undefined : new Map(flow.variables.map(variable))],
      ['steps', [...(start === null ? [] : [start]), ...this.#steps(flow.steps)]],
    );
  }

  /** Null: it is started by its id, which needs no word. */
  #starts(starts: readonly Start[]): Yaml | null {
    const [first, second] = starts;
    if (first === undefined) return null;
    const beside = (start: Start): readonly Entry[] => [
      ['id', this.#ids.ofStart(start) ?? undefined],
      ['name', text(start.name)],
      ['audit', audit(start.audit)],
    ];
    if (second !== undefined) {
      return mapping(['start', starts.map((start) => named(startEntries(start), beside(start)))]);
    }
    const { main, options } = waited(startEntries(first));
    const others = [...beside(first), ...options];
    const isSilent = main === null && others.every(([, value]) => value === undefined);
    return isSilent ? null : mapping(['start', main], ...others);
  }

  #steps(steps: Steps): readonly Yaml[] {
    return steps.map((step) => this.#step(step, step.verb));
  }

  /** `verb` is the step's. */
  #step<V extends Verb>(step: StepOf<V>, verb: V): Yaml {
    const [first, ...options] = this.#writers[verb](step);
    if (first === undefined) return verb;
    const id = this.#ids.ofStep(step) ?? undefined;
    const name = step.verb === 'end' ? undefined : text(step.name);
    const base: readonly Entry[] = [
      ['id', id],
      ['name', name],
      ['audit', audit(step.audit)],
    ];
    // Behind a list nobody would find them.
    const entries = hasList(first[1])
      ? mapping(...base, first, ...options)
      : mapping(first, ...base, ...options);
    return step.verb === 'end' && entries.size === 1 && first[1] === null ? 'end' : entries;
  }

  /** The verb with its value, then the options. */
  readonly #writers: { readonly [V in Verb]: (step: StepOf<V>) => readonly Entry[] } = {
    call: (step) => [
      ['call', step.target.text],
      ['input', pairs(step.input)],
      ['output', text(step.output)],
      ['headers', pairs(step.headers)],
      ['timeout', text(step.timeout)],
      ['retry', step.retry === null ? undefined : retry(step.retry)],
      ['alias', aliases(step.aliases)],
      ['response', step.response === null ? undefined : shortIfOne('channel', sourceEntries(step.response))],
      ['throws', step.throws.length === 0 ? undefined : step.throws.map(thrown)],
    ],
    send: ({ message }) => {
      const [channel, destination, ...options] = messageEntries(message);
      const main = message.channel === null ? mapping(destination) : channel[1];
      return [['send', main ?? null], ...options];
    },
    reply: ({ reply }) => {
      const [body, ...options] = replyEntries(reply);
      return [['reply', body[1] ?? null], ...options];
    },
    signal: (step) => [
      ['signal', step.signal.text],
      ['body', feel(step.body)],
    ],
    escalate: (step) => [['escalate', step.code.text]],
    compensate: (step) => [['compensate', step.target?.text ?? 'all']],
    wait: (step) => {
      const { main, options } = waited(triggerEntries(step.trigger));
      return [['wait', main], ...options];
    },
    'wait-first': (step) => [
      [
        'wait',
        step.alternatives.map((alternative) =>
          named(
            [...triggerEntries(alternative.trigger), ['steps', this.#stepsIfAny(alternative.steps)]],
            [
              ['id', this.#ids.ofAlternative(alternative) ?? undefined],
              ['name', text(alternative.name)],
              ['audit', audit(alternative.audit)],
            ],
          ),
        ),
      ],
    ],
    choose: (step) => [
      [
        'choose',
        [
          ...step.cases.map(({ when, name, steps }) =>
            mapping(['when', feel(when)], ['name', text(name)], ['steps', this.#steps(steps)]),
          ),
          ...(step.otherwise === null ? [] : [mapping(['else', this.#steps(step.otherwise)])]),
        ],
      ],
    ],
    parallel: (step) => {
      const branches = step.branches.map(({ name, steps }) =>
        name === null ? this.#steps(steps) : mapping(['name', name.text], ['steps', this.#steps(steps)]),
      );
      return [['parallel', step.until === 'any' ? mapping(['any', branches]) : branches]];
    },
    'for-each': (step) => [
      ['for-each', step.item.text],
      ['in', feel(step.collection)],
      ['one-by-one', step.isParallel ? undefined : true],
      ['until', feel(step.until)],
      [
        'collect',
        step.collect === null ? undefined : mapping([step.collect.list.text, step.collect.value.text]),
      ],
      ['steps', this.#steps(step.steps)],
    ],
    repeat: (step) => [
      [
        'repeat',
        mapping(
          [step.condition?.kind ?? 'until', feel(step.condition?.expression ?? null)],
          ['at-most', number(step.atMost)],
        ),
      ],
      ['steps', this.#steps(step.steps)],
    ],
    decide: (step) => [
      ['decide', step.decision.text],
      ['input', pairs(step.input)],
      ['output', text(step.output)],
    ],
    set: (step) => [['set', pairs(step.assignments) ?? mapping()]],
    try: (step) => [
      ['try', this.#steps(step.steps)],
      ...(['error', 'timeout', 'escalation'] as const).map((kind) => this.#handlers(step, kind)),
      ['compensate', step.compensation === null ? undefined : this.#steps(step.compensation.steps)],
    ],
    flow: (step) => [
      ['flow', step.process.text],
      ['input', pairs(step.input)],
      ['output', pairs(step.output)],
    ],
    end: (step) => [['end', text(step.name) ?? null], ...endEntries(step)],
    fail: (step) => [['fail', step.code.text]],
  };

  #stepsIfAny(steps: Steps): Yaml | undefined {
    return steps.length === 0 ? undefined : this.#steps(steps);
  }

  /** A single handler needs no list. */
  #handlers({ id, handlers }: TryStep, kind: Handler['kind']): Entry {
    const written = handlers
      .filter((handler) => handler.kind === kind)
      .map((handler) =>
        mapping(
          ['id', this.#ids.ofHandler(id.text, handler) ?? undefined],
          ['name', text(handler.name)],
          ['audit', audit(handler.audit)],
          ...handlerEntries(handler),
          ['steps', this.#stepsIfAny(handler.steps)],
        ),
      );
    const [first, second] = written;
    return [`on-${kind}`, second === undefined ? first : written];
  }
}

function handlerEntries(handler: Handler): readonly Entry[] {
  const goesOn: Entry = ['continue', handler.kind !== 'error' && !handler.isInterrupting ? true : undefined];
  if (handler.kind === 'timeout') return [[handler.timer.kind, handler.timer.value.text], goesOn];
  return [
    ['code', text(handler.code)],
    goesOn,
    ['code-variable', text(handler.codeVariable)],
    ['message-variable', handler.kind === 'error' ? text(handler.messageVariable) : undefined],
  ];
}

function endEntries({ message, reply, isTerminating }: EndStep): readonly Entry[] {
  return [
    ['reply', reply === null ? undefined : shortIfOne('body', replyEntries(reply))],
    ['send', message === null ? undefined : shortIfOne('channel', messageEntries(message))],
    ['terminate', isTerminating ? true : undefined],
  ];
}

/** A channel stands behind its verb and its options beside it; anything else under the verb. */
function waited([first, ...others]: readonly Entry[]): {
  readonly main: Yaml;
  readonly options: readonly Entry[];
} {
  if (first === undefined) return { main: null, options: [] };
  return first[0] === 'channel'
    ? { main: first[1] ?? null, options: others }
    : first[0] === 'alias'
      ? { main: null, options: [first] }
      : { main: mapping(first, ...others), options: [] };
}

/** What it is first, then its id and name. */
function audit(written: Audit | undefined): boolean | undefined {
  return written === undefined ? undefined : written.text === 'true';
}

function named([first, ...others]: readonly Entry[], base: readonly Entry[]): Yaml {
  return mapping(...(first === undefined ? [] : [first]), ...base, ...others);
}

function startEntries({ trigger, aliases: own }: Start): readonly Entry[] {
  return trigger === null ? [['alias', aliases(own)]] : triggerEntries(trigger);
}

function triggerEntries(trigger: Trigger): readonly Entry[] {
  switch (trigger.kind) {
    case 'message':
      return [...sourceEntries(trigger.source), ['alias', aliases(trigger.aliases)]];
    case 'timer':
      return [['timer', timer(trigger.timer)]];
    case 'signal':
      return [
        ['signal', trigger.signal.text],
        ['variable', text(trigger.variable)],
      ];
    case 'condition':
      return [['condition', feel(trigger.condition)]];
  }
}

/** What is no FEEL shows by its form what it is. */
function timer({ kind, value }: FlowTimer): Yaml {
  const written = value.text.trim();
  const shown = /^R\d*\//.test(written) ? 'every' : /^[+-]?P/.test(written) ? 'after' : 'at';
  return kind === shown && !written.startsWith('=') ? written : mapping([kind, written]);
}

function sourceEntries(source: FlowSource): readonly Entry[] {
  return [
    ['channel', source.channel.text],
    ['variable', text(source.variable)],
    ['merge', source.isMerged ? true : undefined],
    ['type', text(source.type)],
    ['type-pattern', text(source.typePattern)],
    ['dedup-key', feel(source.dedupKey)],
  ];
}

function messageEntries(message: FlowMessage): readonly [Entry, Entry, ...Entry[]] {
  return [
    ['channel', text(message.channel)],
    ['destination', feel(message.destination)],
    ['body', feel(message.body)],
    ['headers', pairs(message.headers)],
    ['content-type', text(message.contentType)],
  ];
}

function replyEntries(reply: FlowReply): readonly [Entry, ...Entry[]] {
  return [
    ['body', feel(reply.body)],
    ['headers', pairs(reply.headers)],
    ['content-type', text(reply.contentType)],
    ['continue', reply.isContinued ? true : undefined],
  ];
}

function aliases(all: readonly FlowAlias[]): Yaml | undefined {
  if (all.length === 0) return undefined;
  return new Map(
    all.map((alias) => [
      alias.name.text,
      shortIfOne('expression', [
        ['expression', feel(alias.expression)],
        ['message', feel(alias.message)],
        ['unique', alias.isUnique ? true : undefined],
        ['on-conflict', text(alias.onConflict)],
        ['multi', alias.isMulti ? true : undefined],
      ]),
    ]),
  );
}

function retry({
  maxAttempts,
  initialDelay,
  backoffCoefficient,
  maxDelay,
  nonRetryableCodes,
}: FlowRetry): Yaml {
  return mapping(
    ['max-attempts', number(maxAttempts)],
    ['initial-delay', text(initialDelay)],
    ['backoff-coefficient', number(backoffCoefficient)],
    ['max-delay', text(maxDelay)],
    ['non-retryable-codes', nonRetryableCodes?.text.trim().split(/\s+/)],
  );
}

function thrown({ code, when }: { readonly code: Written; readonly when: Written }): Yaml {
  return mapping(['code', code.text], ['when', feel(when)]);
}

function variable({ name, type, isSensitive, isTransient }: FlowVariable): readonly [string, Yaml] {
  const settings = shortIfOne('type', [
    ['type', text(type)],
    ['sensitive', isSensitive ? true : undefined],
    ['transient', isTransient ? true : undefined],
  ]);
  return [name.text, settings];
}

function pairs(all: readonly Pair[]): ReadonlyMap<string, Yaml> | undefined {
  return all.length === 0
    ? undefined
    : new Map(all.map(({ name, value }) => [name.text, feel(value) ?? null]));
}

function text(written: Written | null): string | undefined {
  return written?.text;
}

function hasList(value: Yaml | undefined): boolean {
  return Array.isArray(value) || (value instanceof Map && [...value.values()].some(hasList));
}

/** With the sign that tells a reader what it is. */
function feel(written: Written | null): string | undefined {
  return written === null ? undefined : `=${written.text.trim().replace(/^=\s*/, '')}`;
}

function number(written: Written | null): number | undefined {
  return written === null ? undefined : Number(written.text);
}

function mapping(...entries: readonly Entry[]): ReadonlyMap<string, Yaml> {
  return new Map(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}

/** A mapping that has only the key which its short form stands for. */
function shortIfOne(key: string, entries: readonly Entry[]): Yaml {
  const whole = mapping(...entries);
  const value = whole.get(key);
  return whole.size === 1 && value !== undefined ? value : whole;
}

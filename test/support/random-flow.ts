/**
 * Random flows as YAML texts. They read without a fault, use every verb, and can be played with `random-play.ts`:
 * ids say what its stimuli do (`fallible…` may fail with the error `E`; the condition of `c` is `cHolds`), and every
 * loop has an end. They call the process `called`, which is the caller's to provide.
 */
import fc from 'fast-check';
import { stringify } from 'yaml';

type Mapping = Readonly<Record<string, unknown>>;
/** Names what is made after its kind and a number; so ids do not depend on what was cut off by shrinking. */
type Namer = (prefix: string) => string;
type Made<What> = fc.Arbitrary<(name: Namer) => What>;
/** One step, or some that belong together. */
type MadeSteps = Made<readonly unknown[]>;

const MAX_DEPTH = 2;

const one = (make: (name: Namer) => Mapping): MadeSteps => fc.constant((name: Namer) => [make(name)]);
const texts = <Text extends string>(...values: readonly Text[]): fc.Arbitrary<Text> =>
  fc.constantFrom(...values);

/** A mapping some of whose keys may be left out. */
function options(keys: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Mapping> {
  return fc.record({ ...keys }, { requiredKeys: [] });
}

const headers = fc.constant({ 'x-a': '="a"', 'x-b': '=n' });
const reply = fc.oneof(
  fc.constant('=n'),
  fc.record({ body: fc.constant('={n: n}'), headers, continue: fc.boolean() }),
);
const message = fc.record({ channel: fc.constant('out'), body: fc.constant('={n: n}'), headers });

const call: MadeSteps = fc
  .tuple(
    texts('fallible', 'call', 'call', 'call'),
    options({
      name: texts('Do it', 'Größe, "quoted"'),
      audit: fc.boolean(),
      input: fc.constant({ n: '=n', 'two words': '=n + 1' }),
      output: texts('answer', 'n1'),
      headers,
      alias: fc.constant({ key: '=string(n)' }),
      response: fc.oneof(fc.constant('answers'), fc.constant({ channel: 'answers', variable: 'a' })),
    }),
  )
  .map(([prefix, own]) => (name) => [
    {
      call: 'work',
      id: name(prefix),
      ...own,
      ...(prefix === 'fallible' ? { timeout: 'PT5M', throws: [{ code: 'E', when: '=n > 5' }] } : {}),
    },
  ]);

const send: MadeSteps = fc
  .tuple(
    fc.oneof(fc.constant('out'), fc.constant({ destination: '="out"' })),
    options({
      body: fc.constant('=n'),
      audit: fc.boolean(),
      headers,
      'content-type': fc.constant('application/json'),
    }),
  )
  .map(([to, own]) => (name) => [{ send: to, id: name('send'), ...own }]);

/** Without a type: what is played has none. */
const trigger: Made<Mapping> = fc.oneof(
  fc
    .tuple(
      texts('news', 'payments'),
      options({
        alias: fc.constant({ key: { expression: '=string(n)', message: '=payload.key', unique: true } }),
      }),
      fc.boolean(),
    )
    .map(([channel, own, isNamed]) => () => ({
      channel,
      ...own,
      ...(isNamed ? { variable: 'payload2' } : {}),
    })),
  texts('PT5M', 'R1/PT10S', '2030-01-31T09:00:00Z').map((timer) => () => ({ timer })),
  fc.constant(() => ({ timer: { after: '=duration("PT1M")' } })),
  fc.constant(() => ({ signal: 'go', variable: 'heard' })),
);

const wait: MadeSteps = fc.oneof(
  trigger.map((make) => (name: Namer) => {
    const { channel, ...own } = make(name);
    if (channel !== undefined) return [{ wait: channel, id: name('wait'), ...own }];
    const { variable, ...rest } = own;
    return [{ wait: rest, id: name('wait'), ...(variable === undefined ? {} : { variable }) }];
  }),
  one((name) => {
    const id = name('until');
    return { wait: { condition: `=${id}Holds` }, id };
  }),
);

const leaf: MadeSteps = fc.oneof(
  { weight: 4, arbitrary: call },
  { weight: 2, arbitrary: wait },
  send,
  one((name) => ({ set: { total: '=n + 1', 'order.lines': '=[n]' }, id: name('set') })),
  fc
    .option(fc.constant('={n: n}'), { nil: undefined })
    .map((body) => (name: Namer) => [
      { signal: 'go', id: name('signal'), ...(body === undefined ? {} : { body }) },
    ]),
  reply.map((body) => (name: Namer) => [{ reply: body, id: name('reply') }]),
  one((name) => ({ escalate: 'LATE', id: name('escalate') })),
  one((name) => ({ compensate: 'all', id: name('compensate') })),
  one((name) => ({ flow: 'called', id: name('flow'), input: { n: '=n' }, output: { n: '=n' } })),
);

const ending: MadeSteps = fc.oneof(
  { weight: 3, arbitrary: fc.constant(() => ['end']) },
  options({ send: message, reply, terminate: fc.boolean() }).map((own) => (name: Namer) => [
    { end: name('end'), ...own },
  ]),
  one((name) => ({ fail: 'E', id: name('fail') })),
);

/** At least `min`; one time in `endingIn` they end the path. */
function stepsOf(step: MadeSteps, min: number, endingIn = 8): MadeSteps {
  return fc
    .tuple(
      fc.array(step, { minLength: min, maxLength: 2 }),
      fc.oneof({ weight: endingIn - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: ending }),
    )
    .map(([each, last]) => (name) => [...each.flatMap((make) => make(name)), ...(last?.(name) ?? [])]);
}

function choose(step: MadeSteps): MadeSteps {
  const cases = fc.array(
    fc.tuple(
      texts('=n > 3', '=n = 1', '=even(n)'),
      options({ name: texts('yes', 'no') }),
      stepsOf(step, 0, 3),
    ),
    { minLength: 1, maxLength: 3 },
  );
  return fc.tuple(cases, fc.option(stepsOf(step, 0), { nil: null })).map(([whens, otherwise]) => (name) => [
    {
      choose: [
        ...whens.map(([when, own, steps]) => ({ when, ...own, steps: steps(name) })),
        ...(otherwise === null ? [] : [{ else: otherwise(name) }]),
      ],
      id: name('choose'),
    },
  ]);
}

/** A way out of a branch, which the others must not wait for. */
const leave: MadeSteps = fc.constant((name) => [
  { call: 'work', id: name('call') },
  { choose: [{ when: '=n > 2', steps: [{ end: name('end') }] }], id: name('leave') },
]);

function parallel(step: MadeSteps): MadeSteps {
  const branch = fc.tuple(fc.boolean(), stepsOf(step, 1), fc.option(leave, { nil: null, freq: 2 }));
  const branches = fc.array(branch, { minLength: 2, maxLength: 3 });
  return fc.tuple(texts('list', 'all', 'any'), branches).map(([form, each]) => (name) => {
    const made = each.map(([isNamed, make, first]) => {
      const steps = [...(first?.(name) ?? []), ...make(name)];
      return isNamed ? { name: 'a branch', steps } : steps;
    });
    return [{ parallel: form === 'list' ? made : { [form]: made }, id: name('parallel') }];
  });
}

function waitFirst(step: MadeSteps): MadeSteps {
  return fc
    .array(fc.tuple(trigger, stepsOf(step, 0)), { minLength: 2, maxLength: 3 })
    .map((each) => (name) => [
      {
        wait: each.map(([make, steps]) => ({ id: name('first'), ...make(name), steps: steps(name) })),
        id: name('wait'),
      },
    ]);
}

function loops(step: MadeSteps): MadeSteps {
  const limit = fc.oneof(
    fc.constant({ 'at-most': 2 }),
    fc.constant({ until: '=n > 3', 'at-most': 3 }),
    fc.constant({ while: '=loopCounter < 2' }),
    fc.constant({ until: '=loopCounter >= 2' }),
  );
  const each = options({
    'one-by-one': fc.boolean(),
    until: fc.constant('=numberOfCompletedInstances >= 1'),
    collect: fc.constant({ results: 'item' }),
  });
  return fc.oneof(
    fc
      .tuple(limit, stepsOf(step, 1))
      .map(([repeat, steps]) => (name: Namer) => [{ repeat, id: name('repeat'), steps: steps(name) }]),
    fc
      .tuple(each, stepsOf(step, 1))
      .map(([own, steps]) => (name: Namer) => [
        { 'for-each': 'item', in: '=[1, 2]', id: name('each'), ...own, steps: steps(name) },
      ]),
  );
}

function attempt(step: MadeSteps): MadeSteps {
  const handler = (own: fc.Arbitrary<Mapping>): Made<Mapping> =>
    fc
      .tuple(own, stepsOf(step, 0))
      .map(([parts, steps]) => (name) => ({ id: name('on'), ...parts, steps: steps(name) }));
  const maybe = (made: Made<unknown>): fc.Arbitrary<((name: Namer) => unknown) | null> =>
    fc.option(made, { nil: null });
  const handlers = {
    'on-error': fc.oneof(
      handler(fc.constant({ code: 'E', 'code-variable': 'c', 'message-variable': 'm' })),
      handler(fc.constant({})),
    ),
    'on-timeout': fc.oneof(
      handler(fc.constant({ after: 'PT5M' })),
      handler(fc.constant({ every: 'R2/PT1M', continue: true })),
    ),
    'on-escalation': handler(fc.record({ code: fc.constant('LATE'), continue: fc.boolean() })).map(
      (make) => (name: Namer) => [make(name)],
    ),
    compensate: stepsOf(step, 1),
  };
  return fc
    .tuple(
      stepsOf(step, 1),
      fc.record({
        'on-error': maybe(handlers['on-error']),
        'on-timeout': maybe(handlers['on-timeout']),
        'on-escalation': maybe(handlers['on-escalation']),
        compensate: maybe(handlers.compensate),
      }),
      fc.boolean(),
    )
    .map(([inside, parts, isUndone]) => (name) => {
      const id = name('try');
      const made = Object.entries(parts).flatMap(([key, make]) =>
        make === null ? [] : [[key, make(name)] as const],
      );
      const undone = isUndone && parts.compensate !== null ? [{ compensate: id, id: name('undo') }] : [];
      return [{ try: inside(name), id, ...Object.fromEntries(made) }, ...undone];
    });
}

function stepAt(depth: number): MadeSteps {
  if (depth === 0) return leaf;
  const inner = stepAt(depth - 1);
  return fc.oneof(
    { weight: 6, arbitrary: leaf },
    { weight: 2, arbitrary: choose(inner) },
    { weight: 3, arbitrary: parallel(inner) },
    { weight: 1, arbitrary: waitFirst(inner) },
    { weight: 1, arbitrary: loops(inner) },
    { weight: 3, arbitrary: attempt(inner) },
  );
}

const startTrigger: Made<Mapping> = fc.oneof(
  trigger,
  fc.constant(() => ({ channel: 'orders', type: 'order.placed', 'dedup-key': '=payload.id' })),
  fc.constant(() => ({ channel: 'orders', 'type-pattern': 'order.*', merge: true })),
);

const starts: Made<readonly unknown[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(() => []) },
  fc
    .tuple(startTrigger, options({ audit: fc.boolean() }))
    .map(([make, own]) => (name: Namer) => [{ start: { id: name('start'), ...own, ...make(name) } }]),
  fc
    .array(startTrigger, { minLength: 2, maxLength: 3 })
    .map((each) => (name: Namer) => [{ start: each.map((make) => ({ id: name('start'), ...make(name) })) }]),
);

const flow: Made<Mapping> = fc
  .tuple(
    options({
      name: fc.constant('A process'),
      audit: fc.boolean(),
      variables: fc.constant({ order: 'context', card: { type: 'text', sensitive: true, transient: true } }),
    }),
    starts,
    stepsOf(stepAt(MAX_DEPTH), 1),
  )
  .map(([own, start, steps]) => (name) => ({ id: 'p', ...own, steps: [...start(name), ...steps(name)] }));

/** Texts of files of `flows/`, each of a process `p`. Some have steps that nothing leads to. */
export function flowTexts(): fc.Arbitrary<string> {
  return flow.map((make) => {
    const counts = new Map<string, number>();
    const named = make((prefix) => {
      const count = (counts.get(prefix) ?? 0) + 1;
      counts.set(prefix, count);
      return `${prefix}${count}`;
    });
    return stringify(named, { aliasDuplicateObjects: false });
  });
}

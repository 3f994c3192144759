/**
 * Nothing of what is declared sensitive is in a history row, a history answer or the log, whatever the model does with it
 * and whatever it is given.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { testDatabases } from '../support/database.ts';
import { collectingLog, TestEngine, type TaskAnswer } from '../support/engine.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const NAMES = ['alpha', 'beta', 'gamma', 'delta'] as const;
const name = fc.constantFrom(...NAMES);

/** What is worked out of a variable, of one inside another, and of a text that names it. */
const expression = fc.tuple(name, name, fc.constantFrom(0, 1, 2, 3, 4, 5, 6)).map(([one, other, form]) => {
  const forms = [
    one,
    `${one}.${other}`,
    `string(${one})`,
    `upper case(string(${one}))`,
    `{ wrapped: ${one}, plain: 1 }`,
    `[${one}, ${other}]`,
    `get value({ inner: ${one} }, "${other}")`,
  ];
  return forms[form] ?? one;
});

const extensions = (inside: string): string => `<extensionElements>${inside}</extensionElements>`;
const feel = (text: string): string => text.replaceAll('"', '&quot;');

/** The inside of a process, a step after the other; `#` is the step's number. */
const step = fc.oneof(
  fc
    .tuple(expression, name)
    .map(
      ([from, to]) =>
        `<serviceTask id="n#"><dataOutputAssociation><assignment><from>${from}</from><to>${to}</to></assignment></dataOutputAssociation></serviceTask>`,
    ),
  fc
    .tuple(expression, name)
    .map(
      ([text, output]) =>
        `<scriptTask id="n#">${extensions(`<q:output variable="${output}"/>`)}<script>${text}</script></scriptTask>`,
    ),
  fc
    .tuple(expression, fc.constantFrom('other', 'copy'))
    .map(([text, key]) => `<scriptTask id="n#"><script>{ ${key}: ${text} }</script></scriptTask>`),
  fc.option(fc.oneof(expression, fc.constantFrom('other', 'copy')), { nil: null }).map((body) => {
    const own = body === null ? '' : ` body="${feel(body)}"`;
    return `<sendTask id="n#">${extensions(`<q:send channel="out"${own}/>`)}</sendTask>`;
  }),
  fc.tuple(fc.option(expression, { nil: null }), fc.option(name, { nil: null })).map(([param, output]) => {
    const given = param === null ? '' : `<q:param name="given" expression="${feel(param)}"/>`;
    const taken = output === null ? '' : `<q:output variable="${output}"/>`;
    return `<serviceTask id="n#" implementation="channel:work">${extensions(given + taken)}</serviceTask>`;
  }),
  fc.option(name, { nil: null }).map((to) => {
    const kept = to === null ? '' : ` message="${to}"`;
    return `<serviceTask id="n#" implementation="channel:work"/><boundaryEvent id="b#" attachedToRef="n#"><errorEventDefinition id="d#">${extensions(`<q:caught code="other"${kept}/>`)}</errorEventDefinition></boundaryEvent>`;
  }),
  fc.constant('<userTask id="n#"/>'),
  fc.option(expression, { nil: null }).map((param) => {
    const given = param === null ? '' : `<q:param name="given" expression="${feel(param)}"/>`;
    return `<callActivity id="n#" calledElement="inner">${extensions(given)}</callActivity>`;
  }),
);

const model = fc.record({
  sensitive: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
  /** Null: the payload becomes variables. */
  receives: fc.option(name, { nil: null }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  isKeyed: fc.boolean(),
  given: fc.array(fc.uniqueArray(name, { minLength: 1 }), { minLength: 4, maxLength: 4 }),
});
type Model = typeof model extends fc.Arbitrary<infer Of> ? Of : never;

function packageOf({ sensitive, receives, steps, isKeyed }: Model, run: string): Record<string, string> {
  const declared = sensitive.map((each) => `<q:variable name="${each}" sensitive="true"/>`).join('');
  const own = extensions(`<q:audit payload="true"/><q:variables>${declared}</q:variables>`);
  const ids = ['start', ...steps.map((_, index) => `n${String(index)}`), 'end'];
  const pairs = ids.slice(1).map((id, index) => `${ids[index] ?? ''} -> ${id}`);
  steps.forEach((text, index) => {
    if (text.includes('boundaryEvent')) pairs.push(`b${String(index)} -> ${ids[index + 2] ?? ''}`);
  });
  const source = receives === null ? 'merge="true"' : `name="${receives}"`;
  const inside = steps.map((text, index) => text.replaceAll('#', String(index))).join('');
  const inner = extensions('<q:audit payload="true"/>');
  return packageFiles({
    module: `m${run}`,
    channels: `  - { name: in, transport: http, bind: "POST /channels/in-${run}", ack-mode: on-persist${isKeyed ? `, dedup-key: "string(payload)"` : ''} }
  - { name: work, transport: pull }
  - { name: out, transport: pull, direction: outbound }`,
    processes: {
      outer: `${own}${start('in', '', source)}${inside}<endEvent id="end"/>${flows(...pairs)}`,
      inner: `${inner}<startEvent id="start"/><sendTask id="tell">${extensions('<q:send channel="out" body="given"/>')}</sendTask><sendTask id="all">${extensions('<q:send channel="out"/>')}</sendTask><endEvent id="end"/>${flows('start -> tell', 'tell -> all', 'all -> end')}`,
    },
  });
}

/** Texts that must never be seen, and texts that may. */
class Texts {
  readonly secrets: string[] = [];
  readonly #sensitive: ReadonlySet<string>;
  readonly #run: string;
  #count = 0;

  constructor(sensitive: readonly string[], run: string) {
    this.#sensitive = new Set(sensitive);
    this.#run = run;
  }

  #text(isSecret: boolean): string {
    const text = `${isSecret ? 'canary' : 'harmless'}-${this.#run}-${String((this.#count += 1))}-x`;
    if (isSecret) this.secrets.push(text);
    return text;
  }

  hides(variable: string): boolean {
    return this.#sensitive.has(variable);
  }

  /** What a worker says: where no variable takes it, it quotes what the instance has at that moment. */
  message(known: Readonly<Record<string, unknown>>, variable: string | null): string {
    return variable === null ? `about ${JSON.stringify(known)}` : this.#text(this.hides(variable));
  }

  /** `isSecret`: as a whole. */
  object(names: readonly string[], isSecret: boolean): Record<string, unknown> {
    return Object.fromEntries(
      names.map((each) => {
        const isHidden = isSecret || this.#sensitive.has(each);
        return [each, { text: this.#text(isHidden), list: [this.#text(isHidden)] }];
      }),
    );
  }
}

for (const target of testDatabases()) {
  describe(`secrets in histories on ${target.name}`, () => {
    let engine: TestEngine;
    const log = collectingLog();
    let runs = 0;
    before(async () => {
      engine = await TestEngine.start({ database: await target.open(), log });
    });
    after(() => engine.stop());

    /** Lets the instance come to its end, or to where it stays. */
    async function play(id: string, texts: Texts, { given, steps }: Model): Promise<void> {
      for (const names of [...given, ...given]) {
        const instance = await engine.instance(id);
        const [token] = instance.tokens;
        if (instance.status !== 'running' || token === undefined) return;
        const text = steps[Number(token.elementId.slice(1))] ?? '';
        const output = /output variable="(\w+)"/.exec(text)?.[1];
        const isSecret = output !== undefined && texts.hides(output);
        if (text.startsWith('<userTask')) {
          const body = { variables: texts.object(names, false) };
          await engine.post(`/sutra/instances/${id}/user-tasks/${String(token.id)}/complete`, body);
        } else {
          const variables = texts.object(names, false);
          await engine.post(`/sutra/instances/${id}/variables`, { variables });
          const [task] = await takeTasks();
          const caught = /caught code="other"(?: message="(\w+)")?/.exec(text);
          if (task?.instanceId !== id) continue;
          if (caught === null) await engine.complete(task, texts.object(names, isSecret));
          else await refuse(task, texts.object(names, false), texts.message(variables, caught[1] ?? null));
        }
      }
    }

    async function refuse(task: TaskAnswer, variables: object, errorMessage: string): Promise<void> {
      const { id, lockToken } = task;
      const body = { workerId: 'worker-1', lockToken, errorCode: 'E', errorMessage, variables };
      const { status } = await engine.post(`/sutra/external-tasks/${id}/bpmn-error`, body);
      assert.equal(status, 200);
    }

    const takeTasks = (): Promise<readonly TaskAnswer[]> =>
      engine.fetchTasks('work', { maxTasks: 1, asyncResponseTimeout: 'PT2S' });

    it('are nowhere to be seen', async () => {
      const property = fc.asyncProperty(model, async (drawn) => {
        const run = String((runs += 1));
        await engine.deploy(packageOf(drawn, run));
        const texts = new Texts(drawn.sensitive, run);
        const { receives, given } = drawn;
        const payload = texts.object(given[0] ?? [], receives !== null && texts.hides(receives));
        const { body, status } = await engine.post(`/channels/in-${run}`, payload);
        assert.equal(status, 202, JSON.stringify(body));
        await play(body.instanceId, texts, drawn);
        const seen = await everything(body.instanceId);
        assert.match(seen, /"payload"/);
        for (const secret of texts.secrets) {
          assert.ok(
            !seen.toLowerCase().includes(secret),
            `${secret} in ${JSON.stringify(packageOf(drawn, run), null, 1)} ${seen.split('\n')[0] ?? ''}`,
          );
        }
        if ((await engine.instance(body.instanceId)).status !== 'completed') {
          await engine.post(`/sutra/instances/${body.instanceId}/cancel`, {});
        }
      });
      await fc.assert(property, { numRuns: 30 });
    });

    /** The rows, the answers and the log. */
    async function everything(id: string): Promise<string> {
      const rows = await engine.engine.database.run(
        { name: 'test_history_rows', text: 'SELECT entries::text FROM history WHERE instance_id = $1::uuid' },
        [id],
      );
      const { body } = await engine.get(`/sutra/instances/${id}/history`);
      return `${JSON.stringify(rows)}\n${JSON.stringify(body)}\n${log.lines.join('\n')}`;
    }
  });
}

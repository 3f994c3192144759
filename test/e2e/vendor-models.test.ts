/** Models of other engines, as their modelers wrote them, run to their end against workers over HTTP. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { testDatabases, type TestDatabase } from '../support/database.ts';
import { type InstanceAnswer, TestEngine } from '../support/engine.ts';
import { recordEvidence } from '../support/evidence.ts';
import { camunda7Models, type VendorModel, zeebeModels } from './vendor-models.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const LIMIT_MS = 60_000;

function packageOf(model: VendorModel, module: string): Record<string, string> {
  const models = model.files.map(
    (path, index) => [`bpmn/${index}.bpmn`, readFileSync(`${corpus}/${path}`, 'utf8')] as const,
  );
  return {
    'package.yaml': `labels: { tenant: test, module: ${module}, version: "1" }\n${model.allowed ?? ''}\n`,
    ...Object.fromEntries(models),
    ...model.added,
  };
}

async function startOf(engine: TestEngine, model: VendorModel, module: string): Promise<string> {
  const variables = model.variables ?? {};
  const answer =
    'process' in model.start
      ? await engine.post(`/sutra/processes/${model.start.process}/start?module=${module}`, { variables })
      : await engine.post(`/channels/test/${module}/${model.start.message}`, variables);
  assert.ok(answer.status === 201 || answer.status === 202, JSON.stringify(answer.body));
  return answer.body.instanceId;
}

/** Plays the workers, the people and the senders until the instance has ended. */
class Play {
  readonly #engine: TestEngine;
  readonly #model: VendorModel;
  readonly #module: string;
  readonly #answered = new Map<string, number>();

  constructor(engine: TestEngine, model: VendorModel, module: string) {
    this.#engine = engine;
    this.#model = model;
    this.#module = module;
  }

  async run(instanceId: string): Promise<InstanceAnswer> {
    const deadline = performance.now() + LIMIT_MS;
    for (;;) {
      const instance = await this.#engine.instance(instanceId);
      if (instance.status !== 'running' && instance.status !== 'suspended') return instance;
      assert.ok(performance.now() < deadline, `in time; the instance is ${JSON.stringify(instance)}`);
      const isMoved = (await this.#work()) || (await this.#decide(instance)) || (await this.#send(instance));
      if (!isMoved) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #work(): Promise<boolean> {
    for (const [channel, answers] of Object.entries(this.#model.answers)) {
      const [task] = await this.#engine.fetchTasks(channel, { maxTasks: 1, asyncResponseTimeout: 'PT0S' });
      if (task === undefined) continue;
      const count = this.#answered.get(channel) ?? 0;
      if (count === 0) {
        for (const [name, value] of Object.entries(this.#model.gets?.[channel] ?? {})) {
          assert.deepEqual(task.body[name], value, `${name} on ${channel}`);
        }
      }
      this.#answered.set(channel, count + 1);
      const completed = await this.#engine.complete(task, answers[Math.min(count, answers.length - 1)]);
      assert.equal(completed.status, 200, JSON.stringify(completed.body));
      return true;
    }
    return false;
  }

  async #decide({ id, tokens }: InstanceAnswer): Promise<boolean> {
    for (const token of tokens) {
      const variables = this.#model.people?.[token.elementId];
      if (variables === undefined) continue;
      const path = `/sutra/instances/${id}/user-tasks/${token.id}/complete`;
      const { status } = await this.#engine.post(path, { variables });
      if (status === 200) return true;
    }
    return false;
  }

  async #send({ tokens }: InstanceAnswer): Promise<boolean> {
    for (const { elementId } of tokens) {
      const sent = this.#model.messages?.[elementId];
      if (sent === undefined) continue;
      const path = `/channels/test/${this.#module}/${sent.message}`;
      const { status, body } = await this.#engine.post(path, sent.body, sent.headers);
      assert.equal(status, 202, JSON.stringify(body));
      return true;
    }
    return false;
  }

  assertAllAnswered(): void {
    assert.deepEqual([...this.#answered.keys()].sort(), Object.keys(this.#model.answers).sort());
  }
}

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  for (const target of testDatabases()) {
    describe(`models of other engines on ${target.name}`, () => {
      let store: TestDatabase;
      let engine: TestEngine;
      before(async () => {
        store = await target.create();
        engine = await TestEngine.start({ database: await store.open() });
      });
      after(async () => {
        await engine.stop();
        await store.drop();
      });

      const all = [
        ...camunda7Models.map((model) => ['c7', model] as const),
        ...zeebeModels.map((model) => ['c8', model] as const),
      ];
      for (const [index, [kind, model]] of all.entries()) {
        it(`run to the end: ${model.files[0] ?? ''}`, async () => {
          const module = `${kind}-${index}`;
          await engine.deploy(packageOf(model, module));
          const play = new Play(engine, model, module);
          const instanceId = await startOf(engine, model, module);
          const ended = await play.run(instanceId);
          assert.equal(ended.status, model.status ?? 'completed', JSON.stringify(ended.failure));
          for (const [name, value] of Object.entries(model.ends)) {
            assert.deepEqual(ended.variables[name], value, name);
          }
          play.assertAllAnswered();
        });
      }

      it('are ten of each kind', () => {
        assert.ok(camunda7Models.length >= 10 && zeebeModels.length >= 10);
        recordEvidence('corpus');
      });
    });
  }
}

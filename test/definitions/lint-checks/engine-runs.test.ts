/** What lint says of random processes, held against what the engine does with them. A failing run prints its seed. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { checkBoundaryHosts } from '../../../definitions/lint-checks/boundary-hosts.ts';
import { checkDeadEnds } from '../../../definitions/lint-checks/dead-ends.ts';
import { checkDeadJoins } from '../../../definitions/lint-checks/dead-joins.ts';
import { checkTransientVariables } from '../../../definitions/lint-checks/transient-variables.ts';
import { checkUnjoinedBranches } from '../../../definitions/lint-checks/unjoined-branches.ts';
import type { CatchDefinition, ProcessDefinition } from '../../../definitions/model.ts';
import { conditionVariable } from '../../core/block-leaves.ts';
import { blockModel } from '../../core/block-models.ts';
import { inbound } from '../../core/instance.ts';
import { contentsOf } from '../../core/invariants.ts';
import { blocks } from '../../core/random-blocks.ts';
import { graphModel, graphPlans } from '../../core/random-models.ts';
import { entries, Play, playAtRandom, stimulusFor } from '../../core/random-play.ts';
import { grow, growth, soundModel } from '../../core/sound-graphs.ts';
import {
  boundary,
  call,
  catchEvent,
  end,
  errorEnd,
  exclusive,
  parallel,
  receive,
  script,
  sendTask,
  start,
  subProcess,
  task,
  throwing,
  userTask,
} from '../../support/model-builder.ts';
import {
  conditional,
  error,
  escalation,
  message,
  signal,
  throws,
  timerMs,
} from '../../support/model-parts.ts';
import { processModel, type NodeSpec } from '../../support/process-model.ts';
import { outline } from './lint-outline.ts';

const picks = fc.infiniteStream(fc.nat(10_000));

function graphFindings(process: ProcessDefinition): readonly string[] {
  const loops = checkDeadEnds(process).filter(({ code }) => code === 'SUTRA.LINT.LOOP_ENDLESS');
  return outline([...checkDeadJoins(process), ...checkUnjoinedBranches(process), ...loops]);
}

function idsOf(findings: ReturnType<typeof checkBoundaryHosts>): readonly string[] {
  return outline(findings).map((text) => text.split(' ')[1] ?? '');
}

describe('lint of random processes', () => {
  it('says nothing of the graph of a sound one', () => {
    fc.assert(
      fc.property(growth, fc.nat(100), (steps, seed) => {
        assert.deepEqual(graphFindings(soundModel(grow(steps), seed).process), []);
      }),
      { numRuns: 300 },
    );
  });

  it('says nothing of the graph of a block-structured one', () => {
    fc.assert(
      fc.property(blocks, (block) => {
        const { process, callable } = blockModel(block);
        assert.deepEqual([process, ...callable].flatMap(graphFindings), []);
      }),
      { numRuns: 300 },
    );
  });

  it('calls no boundary event impossible that occurs', () => {
    let foundCount = 0;
    const check = (process: ProcessDefinition, entered: (id: string) => number): void => {
      const found = idsOf(checkBoundaryHosts(process));
      foundCount += found.length;
      assert.deepEqual(
        found.filter((id) => entered(id) > 0),
        [],
      );
    };
    fc.assert(
      fc.property(guarded, graphPlans, picks, (process, plan, stream) => {
        check(process, entries(playAtRandom({ process }, stream, 30).effects));
        const graph = graphModel(plan);
        check(graph, entries(playAtRandom({ process: graph }, stream, 14).effects));
      }),
      { numRuns: 400 },
    );
    assert.ok(foundCount > 200, `only ${foundCount}`);
  });

  it('calls no transient variable lost that is there', () => {
    let lostCount = 0;
    fc.assert(
      fc.property(transientProcesses, picks, (process, stream) => {
        const lost = new Set(idsOf(checkTransientVariables(process)));
        lostCount += lost.size;
        for (const [name, seen] of playMessages(process, stream)) {
          if (seen === 'there') assert.ok(!lost.has(name), `${name} saw it`);
        }
      }),
      { numRuns: 500 },
    );
    assert.ok(lostCount > 200, `only ${lostCount}`);
  });
});

const hosts: readonly ((id: string) => NodeSpec)[] = [
  (id) => script(id, '1', 'y'),
  (id) => task(id),
  (id) => sendTask(id, { channel: 'news' }),
  (id) => receive(id, 'news'),
  (id) => userTask(id),
  (id) => call(`fallible-${id}`, 'jobs', { output: 'y' }),
  (id) => subProcess(id, [errorEnd(`inner-${id}`, 'E')]),
  (id) => subProcess(id, [throwing(`inner-${id}`, throws.escalation('E'))]),
  (id) => subProcess(id, [script(`inner-${id}`, '1', 'y')]),
  (id) => subProcess(id, [call(`fallible-inner-${id}`, 'jobs', { output: 'y' })]),
];
const occasions: readonly ((id: string) => CatchDefinition)[] = [
  () => timerMs(5),
  () => message('news'),
  () => signal('go'),
  (id) => conditional(conditionVariable(id)),
  () => error(null),
  () => escalation(null),
];

/** One host after the other, each with two boundary events. */
const guarded = fc
  .array(fc.tuple(fc.constantFrom(...hosts), fc.constantFrom(...occasions), fc.constantFrom(...occasions)), {
    minLength: 1,
    maxLength: 4,
  })
  .map((rows) => {
    const nodes = rows.map(([host], index) => host(`h${index}`));
    const ids = nodes.map(({ node }) => node.id);
    const events = rows.flatMap(([, one, other], index) => {
      const first = boundary(`b${index}`, ids[index] ?? '', one(`b${index}`));
      const second = boundary(`c${index}`, ids[index] ?? '', other(`c${index}`));
      // The engine refuses two that catch every error of one host.
      return one === other ? [first] : [first, second];
    });
    const ways = events.map(({ node }) => `${node.id} -> e`);
    return processModel(
      'p',
      [start('s'), ...nodes, ...events, end('e')],
      [`s -> ${ids.join(' -> ')} -> e`, ...ways],
    );
  });

/** `note…` writes what it sees of the variable `secret` into one of its own name. */
const kinds: Readonly<Record<string, (id: string) => readonly NodeSpec[]>> = {
  note: (id) => [script(id, 'if secret = null then "gone" else "there"', id)],
  write: (id) => [script(id, '1', 'secret')],
  wait: (id) => [receive(id, 'news', { variable: 'x' })],
  timer: (id) => [catchEvent(id, timerMs(5))],
  call: (id) => [call(id, 'jobs', { params: { n: '1' }, output: 'y' })],
  fork: (id) => [parallel(id)],
  choice: (id) => [exclusive(id)],
  sub: (id) => [subProcess(id, [receive(`wait-${id}`, 'news', { variable: 'x' }), ...noteOf(`note-${id}`)])],
  pass: (id) => [subProcess(id, [...noteOf(`note-${id}`)])],
};

function noteOf(id: string): readonly NodeSpec[] {
  return [script(id, 'if secret = null then "gone" else "there"', id.replace('-', ''))];
}

const kindArbitrary = fc.constantFrom(
  'note',
  'note',
  'note',
  'write',
  'wait',
  'wait',
  'timer',
  'call',
  'fork',
  'choice',
  'sub',
  'pass',
);

/** Started by a message that brings `secret`; flows lead forwards, to one or two of the next nodes. */
const transientProcesses = fc
  .array(fc.tuple(kindArbitrary, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 })), {
    minLength: 3,
    maxLength: 10,
  })
  .map((rows) => {
    const ids = rows.map(([kind], index) => `${kind}${index}`);
    const nodes = rows.flatMap(([kind], index) => kinds[kind]?.(ids[index] ?? '') ?? []);
    const flows = rows.flatMap(([kind, steps], index) =>
      steps.map((step, at) => {
        const way = `${ids[index] ?? ''} -> ${ids[index + step] ?? 'e'}`;
        return kind === 'choice' ? `${way} ${at === 0 ? 'default' : 'if x = 3'}` : way;
      }),
    );
    const inside = rows.flatMap(([kind], index) =>
      kind === 'sub' ? [`wait-${ids[index] ?? ''} -> note-${ids[index] ?? ''}`] : [],
    );
    const begin = start('s', { channel: 'in', variable: 'secret' });
    return processModel('p', [begin, ...nodes, end('e')], [`s -> ${ids[0] ?? ''}`, ...flows, ...inside], {
      variables: ['~secret'],
    });
  });

/** What the notes have seen, after every turn. */
function playMessages(
  process: ProcessDefinition,
  stream: Iterator<number>,
): readonly (readonly [string, unknown])[] {
  const play = new Play({ process }, 'needed');
  const seen: (readonly [string, unknown])[] = [];
  let stimulus: Parameters<Play['apply']>[0] | null = {
    kind: 'start',
    startEventId: 's',
    message: inbound({ id: 1 }),
    variables: {},
    replyTo: null,
  };
  for (let turn = 0; turn < 12 && stimulus !== null; turn += 1) {
    assert.equal(play.apply(stimulus).kind, 'advanced');
    const { snapshot } = play;
    for (const scope of contentsOf(snapshot).scopes) {
      for (const [name, value] of Object.entries(scope.variables)) {
        seen.push([name.replace(/^note(?=sub|pass)/, 'note-'), value]);
      }
    }
    const { waits } = contentsOf(snapshot);
    const pick = Number(stream.next().value);
    const wait = waits[pick % Math.max(waits.length, 1)];
    stimulus = wait === undefined || snapshot.status !== 'running' ? null : stimulusFor(wait, pick, snapshot);
  }
  return seen;
}

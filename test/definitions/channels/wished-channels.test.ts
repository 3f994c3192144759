/** Channels that models use and `channels.yaml` does not declare. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addWishedChannels } from '../../../definitions/channels/wished-channels.ts';
import type { ChannelWish } from '../../../definitions/dialects/dialect-context.ts';
import { compileExpression } from '../../../definitions/feel.ts';
import type { ChannelDefinition } from '../../../definitions/package-model.ts';

const identity = { tenant: 't', module: 'm', version: '1' };
const place = { file: 'bpmn/a.bpmn', line: 3, column: 1 };
const wish = (name: string, ...uses: readonly ChannelWish['use'][]): readonly ChannelWish[] =>
  uses.map((use) => ({ name, use, place }));

describe('a channel that is not declared', () => {
  const rows: readonly (readonly [uses: readonly ChannelWish['use'][], transport: string, bind: string])[] = [
    [['work'], 'pull', 'pull://t/m/1/a'],
    [['work', 'catch'], 'pull', 'pull://t/m/1/a'],
    [['catch'], 'http', 'POST /channels/t/m/a'],
    [['throw'], 'pull', 'pull://t/m/1/a'],
    [['throw', 'catch', 'throw'], 'local', 'local://t/m/1/a'],
  ];
  for (const [uses, transport, bind] of rows) {
    test(`and used to ${uses.join(', ')} is ${transport}`, () => {
      const { channels, findings } = addWishedChannels(new Map(), wish('a', ...uses), identity);
      const channel = channels.get('a');
      assert.deepEqual(
        [channel?.transport, channel?.bind, channel?.ackMode],
        [transport, bind, 'on-persist'],
      );
      assert.deepEqual(
        findings.map(({ code, severity, place: at }) => [code, severity, at]),
        [['SUTRA.PACKAGE.CHANNEL_ADDED', 'warning', place]],
      );
    });
  }

  test('has tasks of the priority that their elements say, if one does', () => {
    const [says] = wish('a', 'work').map((each) => ({ ...each, hasPriority: true }));
    assert.ok(says);
    const { channels } = addWishedChannels(
      new Map(),
      [...wish('a', 'work'), says, ...wish('b', 'work')],
      identity,
    );
    assert.match(channels.get('a')?.task?.priority?.text ?? '', /header\.priority/);
    assert.equal(channels.get('b')?.task, null);
    const limits = { lockDurationMs: 1, retries: 2, retryTimeoutMs: 3 };
    const declare = (changes: Partial<ChannelDefinition>): ReadonlyMap<string, ChannelDefinition> =>
      new Map([...channels].map(([name, channel]) => [name, { ...channel, ...changes }]));
    const declared = declare({ task: { ...limits, priority: null } });
    const given = addWishedChannels(declared, [says], identity).channels.get('a');
    assert.deepEqual(
      { ...given?.task, priority: null },
      { ...limits, priority: null },
      'the rest is as declared',
    );
    assert.match(given?.task?.priority?.text ?? '', /header\.priority/);
    const own = declare({ task: { ...limits, priority: compileExpression('9') } });
    assert.equal(
      addWishedChannels(own, [says], identity).channels.get('a'),
      own.get('a'),
      "the author's wins",
    );
    const http = declare({ transport: 'http', task: null });
    assert.equal(addWishedChannels(http, [says], identity).channels.get('a'), http.get('a'));
  });

  test('stays as it is declared when it is', () => {
    const { channels: declared } = addWishedChannels(new Map(), wish('a', 'catch'), identity);
    const { channels, findings } = addWishedChannels(declared, wish('a', 'work'), identity);
    assert.equal(channels.get('a'), declared.get('a'));
    assert.deepEqual(findings, []);
  });
});

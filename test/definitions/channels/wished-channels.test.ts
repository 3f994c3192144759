/** Channels that models use and `channels.yaml` does not declare. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addWishedChannels } from '../../../definitions/channels/wished-channels.ts';
import type { ChannelWish } from '../../../definitions/dialects/dialect-context.ts';

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

  test('stays as it is declared when it is', () => {
    const { channels: declared } = addWishedChannels(new Map(), wish('a', 'catch'), identity);
    const { channels, findings } = addWishedChannels(declared, wish('a', 'work'), identity);
    assert.equal(channels.get('a'), declared.get('a'));
    assert.deepEqual(findings, []);
  });
});

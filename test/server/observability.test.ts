import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { silentLog } from '../../engine/observe.ts';
import { createLog } from '../../server/log.ts';
import { metricTable, type MetricRow } from '../../server/metric-table.ts';
import { createMetrics } from '../../server/metrics.ts';
import { memoryStream, startTestServer } from './fixture.ts';

const strict = (): ReturnType<typeof createMetrics> =>
  createMetrics({ log: silentLog, isStrict: true, hasProcessMetrics: false });

describe('metrics', () => {
  it('are all in the table, with a help text and legal names', () => {
    for (const [name, row] of Object.entries<MetricRow>(metricTable)) {
      assert.match(name, /^sutra_[a-z_]+$/);
      assert.ok(row.help.endsWith('.'), name);
      if (row.kind === 'counter') assert.ok(name.endsWith('_total'), name);
      if (row.kind === 'histogram')
        assert.deepEqual(
          [...row.buckets].sort((a, b) => a - b),
          [...row.buckets],
        );
    }
  });

  it('are all on the page for operators, as the table has them', async () => {
    const page = (await readFile(new URL('../../docs/operate.md', import.meta.url), 'utf8')).split(
      '<!-- metrics -->',
    );
    const rows = [...(page[1] ?? '').matchAll(/^\| `([a-z_]+)` *\| ([a-z]+) *\| (.*?) *\| (.*?) *\|$/gm)];
    const table = Object.entries<MetricRow>(metricTable).map(([name, row]) => [
      name,
      row.kind,
      row.kind === 'gauge' ? '' : row.labels.map((label) => `\`${label}\``).join(', '),
      row.help,
    ]);
    assert.deepEqual(
      rows.map((row) => row.slice(1, 5)),
      table,
    );
  });

  it('count, distribute and read gauges at each scrape', async () => {
    const metrics = strict();
    metrics.meter.add('sutra_http_channel_messages_total', 2, { result: 'accepted' });
    metrics.meter.record('sutra_batch_turns', 3);
    let reading = 5;
    metrics.meter.gauge('sutra_turns_in_flight', () => 1);
    metrics.meter.gauge('sutra_turns_in_flight', () => reading);
    assert.match((await metrics.render()).text, /sutra_turns_in_flight 5\n/);
    reading = 7;
    const { text } = await metrics.render();
    assert.match(text, /sutra_http_channel_messages_total\{result="accepted"\} 2\n/);
    assert.match(text, /sutra_batch_turns_bucket\{le="4"\} 1\n/);
    assert.match(text, /sutra_turns_in_flight 7\n/);
  });

  it('do not mix between two servers of one process', async () => {
    const first = strict();
    const second = strict();
    first.meter.add('sutra_timers_fired_total', 1);
    assert.match((await second.render()).text, /sutra_timers_fired_total 0\n/);
  });

  const wrong: readonly [title: string, write: (meter: ReturnType<typeof strict>['meter']) => void][] = [
    ['an unknown name', (meter) => meter.add('sutra_nothing_total', 1)],
    ['a name of the prototype', (meter) => meter.gauge('constructor', () => 1)],
    ['a counter written as a histogram', (meter) => meter.record('sutra_timers_fired_total', 1)],
    ['a gauge written as a counter', (meter) => meter.add('sutra_turns_in_flight', 1)],
    ['an unknown label', (meter) => meter.add('sutra_timers_fired_total', 1, { id: 'x' })],
  ];
  for (const [title, write] of wrong) {
    it(`refuse ${title} when strict, and log it once otherwise`, () => {
      assert.throws(() => {
        write(strict().meter);
      }, /metric .* (?:is not a|was written)/);
      const logged: string[] = [];
      const { meter } = createMetrics({ log: { ...silentLog, warn: (event) => logged.push(event) } });
      write(meter);
      write(meter);
      assert.deepEqual(logged, ['metrics.unknown']);
    });
  }

  it('are served as Prometheus text, with the requests of this very server', async () => {
    const server = await startTestServer();
    try {
      await server.call('GET', '/sutra/health/live');
      await server.call('GET', '/nowhere');
      const answer = await server.call('GET', '/metrics');
      assert.match(answer.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
      assert.match(
        answer.text,
        /sutra_http_requests_total\{route="\/sutra\/health\/live",method="GET",status="200"\} 1\n/,
      );
      assert.match(answer.text, /sutra_http_requests_total\{route="unknown",method="GET",status="404"\} 1\n/);
      assert.match(answer.text, /sutra_http_requests_open 1\n/);
    } finally {
      await server.stop();
    }
  });
});

describe('the log', () => {
  it('writes one JSON object a line, with level, time and event', () => {
    const { stream, lines } = memoryStream();
    const log = createLog(stream);
    log.info('relay.woken', { transport: 'http', count: 3 });
    log.warn('x');
    const [first, second] = lines();
    assert.equal(first?.['level'], 'info');
    assert.equal(first?.['event'], 'relay.woken');
    assert.equal(first?.['transport'], 'http');
    assert.match(String(first?.['time']), /^\d{4}-\d{2}-\d{2}T/);
    assert.equal(second?.['level'], 'warn');
  });

  it('shows errors with code and causes, and hides fields that name secrets', () => {
    const { stream, lines } = memoryStream();
    const cause = new TypeError('broken pipe');
    createLog(stream).error('failed', {
      error: new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'no database', { cause }),
      lockToken: 'abc',
      'api-key': 'abc',
      authorization: 'abc',
      headers: { cookie: 'abc' },
      variables: { card: 'abc' },
    });
    const [line] = lines();
    assert.doesNotMatch(JSON.stringify(line), /abc/);
    const error = line?.['error'] as Record<string, unknown>;
    assert.equal(error['code'], 'SUTRA.PERSISTENCE_UNAVAILABLE');
    assert.equal(error['stack'], undefined);
    const shownCause = error['cause'] as Record<string, unknown>;
    assert.equal(shownCause['message'], 'broken pipe');
    assert.match(String(shownCause['stack']), /TypeError: broken pipe/);
  });

  it('survives causes that form a circle', () => {
    const { stream, lines } = memoryStream();
    const error = new Error('round');
    error.cause = error;
    createLog(stream).error('failed', { error });
    assert.equal(lines().length, 1);
  });
});

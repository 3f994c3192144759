/**
 * `npm run bench:feel`: how many expressions one core evaluates in a second, beside `feelin`, in turn in one run. Both
 * are given the same context. `feelin` has no compiled form: it is given the text each time, as its users give it.
 * See bench/README.md.
 */
import { evaluate as evaluateFeelin } from 'feelin';
import { compileExpression, TurnBudget } from '../definitions/feel.ts';
import type { Context } from '../definitions/value.ts';

const rounds = Number(process.env['SUTRA_TEST_BENCH_ROUNDS'] ?? 5);
/** Of processor time, for each measurement. */
const MEASURED_MS = 300;

const items = Array.from({ length: 1_000 }, (_, id) => ({ id, sku: `sku-${id}`, price: id % 100 }));
const order = { amount: 150, country: 'DE', lines: [{ price: 19.99, quantity: 3 }] };

const rows: readonly { readonly what: string; readonly text: string; readonly context: Context }[] = [
  {
    what: 'two terms',
    text: 'payload.amount > 100 and payload.country = "DE"',
    context: { payload: order },
  },
  {
    what: 'two terms beside 1,000 items',
    text: 'payload.amount > 100 and payload.country = "DE"',
    context: { payload: { ...order, items }, items },
  },
  { what: 'money', text: 'payload.amount * 1.19 + 0.1', context: { payload: order } },
  {
    what: 'a sum over lines',
    text: 'sum(for l in payload.lines return l.price * l.quantity)',
    context: { payload: order },
  },
  { what: 'a filter of 1,000 items', text: 'count(items[price > 50])', context: { items } },
  {
    what: 'a date',
    text: 'date("2026-03-01") + duration("P10D") > date("2026-03-05")',
    context: {},
  },
];

/** Evaluations in a second of processor time. */
function rateOf(evaluate: () => unknown): number {
  const begin = process.cpuUsage();
  let count = 0;
  let usedMs = 0;
  for (let block = 1; usedMs < MEASURED_MS; block = Math.min(block * 2, 10_000)) {
    for (let index = 0; index < block; index += 1) evaluate();
    count += block;
    const { user, system } = process.cpuUsage(begin);
    usedMs = (user + system) / 1_000;
  }
  return (count / usedMs) * 1_000;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN;
}

process.stdout.write('evaluations a second of processor time, medians\n');
for (const { what, text, context } of rows) {
  const expression = compileExpression(text);
  const ours = (): unknown => expression.evaluate((name) => context[name], new TurnBudget(0));
  const theirs = (): unknown => evaluateFeelin(text, context).value;
  const rates: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) rates.push([rateOf(ours), rateOf(theirs)]);
  const [mine, other] = [median(rates.map(([rate]) => rate)), median(rates.map(([, rate]) => rate))];
  const columns = [mine, other].map((rate) => Math.round(rate).toLocaleString('en').padStart(11));
  process.stdout.write(
    `${what.padEnd(30)} ${columns.join(' ')} feelin, ratio ${(mine / other).toFixed(0).padStart(6)}\n`,
  );
}

/** Values of process variables and messages: of every type, odd, nested and large. */
import { Decimal128 } from '../../definitions/feel/number.ts';
import { Temporal, type Context, type Value } from '../../definitions/value.ts';
import { MAX_VALUE_DEPTH } from '../../definitions/value.ts';
import type { Random } from './random.ts';

const scalars: readonly Value[] = [
  ...[null, true, false, 0, 1, 2, 3, 4, -1, 0.1, 1e21, -1e-7, Number.MAX_SAFE_INTEGER],
  ...['', 'a', '1', 'P1D', 'PT5S', '2026-01-01', '😀', 'x'.repeat(600), 'a\nb', '__proto__', '\ufffd'],
  ...['12345678901234567890.12', '-1e6144', '1e-6176'].map((text) => new Decimal128(text)),
  new Temporal('date', '2026-03-01'),
  new Temporal('time', '10:00:00Z'),
  new Temporal('date-time', '2026-03-01T10:00:00Z'),
  new Temporal('days-time-duration', 'PT5M'),
  new Temporal('years-months-duration', 'P1Y'),
];

/** Names that the expressions of `interesting.ts` and the seeds use. */
const NAMES = [
  'n',
  'x',
  's',
  'item',
  'order',
  'key',
  'm',
  'payload',
  'id',
  'score',
  'a',
  '__proto__',
  'constructor',
];

export function randomValue(random: Random, depth = 0): Value {
  if (depth < 3 && random.chance(0.15)) {
    return Array.from({ length: random.magnitude(1, 20) }, () => randomValue(random, depth + 1));
  }
  if (depth < 3 && random.chance(0.15)) return randomContext(random, depth + 1);
  if (random.chance(0.01)) return nested(random.magnitude(2, MAX_VALUE_DEPTH - 100));
  if (random.chance(0.01)) return 'x'.repeat(random.magnitude(100, 100_000));
  return random.pick(scalars);
}

/** Few of its variables are absent: a model that fails at its first expression shows nothing more. */
export function randomContext(random: Random, depth = 0): Context {
  const names = NAMES.filter(() => random.chance(0.6));
  const entries = names.map((name): readonly [string, Value] => {
    const isNumber = name === 'n' && random.chance(0.7);
    return [name, isNumber ? random.below(6) : randomValue(random, depth + 1)];
  });
  return Object.fromEntries(entries);
}

function nested(depth: number): Value {
  let value: Value = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

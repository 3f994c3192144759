/** Expressions that grow by themselves, or do much with little text: the budget must end them while they are small. */
import type { Random } from '../random.ts';

/** What is made larger by each step, from `x`. `y` is another small value. */
const steps: readonly string[] = [
  ...[
    'x + x',
    '[x, x]',
    '{a: x, b: x}',
    '[x]',
    '{a: x}',
    'concatenate(x, x)',
    'append(x, x)',
    'string([x, x])',
  ],
  ...[
    'string join([x, x], x)',
    'replace(x, "", x)',
    'replace(x, "(.*)", "$1$1")',
    'flatten([x, x])',
    'x * x',
    'x ** 2',
  ],
  ...[
    'for i in x return x',
    'for i in x, j in x return i',
    'for i in 1..3 return x',
    'x[item = x]',
    'union(x, [x])',
  ],
  ...[
    'insert before(x, 1, x)',
    'list replace(x, 1, x)',
    'context put({a: x}, "b", x)',
    'context merge([{a: x}, {b: x}])',
  ],
  ...[
    'get entries({a: x, b: x})',
    'context([{key: "a", value: x}, {key: "b", value: x}])',
    'x.a',
    '[x..x]',
    'split(x, "")',
  ],
  ...[
    'function() x',
    'function(y) [x, y]',
    'if x = x then [x, x] else x',
    'x = x',
    '[x, x] = [x, x]',
    'distinct values([x, x])',
  ],
  ...[
    'upper case(x + x)',
    'x + "\\u0130"',
    'lower case(x + "\\u0130")',
    'substring(x + x, 2)',
    '"(" + x + "|" + x + ")*"',
    'x + "*"',
  ],
  ...[
    '"[" + x + ".." + x + "]"',
    'x + @"P1Y"',
    'x * 1.000001',
    'exp(x)',
    'x / 3',
    'number(string(x) + string(x), null, null)',
  ],
];

const starts: readonly string[] = [
  ...[
    '"ab"',
    '1',
    '[1]',
    '{a: 1}',
    'null',
    '"a"',
    '1.1',
    '@"2026-03-01"',
    '@"P1D"',
    '@"PT0.1S"',
    '[1, "a", null]',
    '"\\u{1f642}"',
  ],
  ...[
    'for i in 1..1000 return i',
    'for i in 1..300 return {a: i, b: string(i)}',
    '"(a+)+b"',
    '[[]]',
    '1e3000',
    '1e-3000',
    'xs',
  ],
];

/** What looks at it. */
const uses: readonly string[] = [
  ...[
    'x',
    'count(x)',
    'string(x)',
    'x = x',
    'x in (x, 1)',
    'distinct values([x, x])',
    'flatten(x)',
    'string length(string(x))',
  ],
  ...[
    'x instance of list<list<list<Any>>>',
    'x.a.b.c',
    'matches(string(x), x)',
    'sort(x, function(a, b) a < b)',
    'x[item = x]',
  ],
  ...[
    'list contains([x], x)',
    'index of([x, x], x)',
    'union(x, x)',
    'is(x, x)',
    'x < x',
    'min(x, x)',
    'sum(x)',
    'product(x)',
  ],
  ...[
    'mode(x)',
    'median(x)',
    'stddev(x)',
    'replace(string(x), "a", "bb")',
    'matches("aaaaaaaaaaaaaaaaaaaaaaab", x)',
    'get value({a: x}, "a")',
  ],
  ...[
    'for i in x return x',
    'some i in x, j in x satisfies i != j',
    'x between x and x',
    '[x..x]',
    'range(x)',
    'date(x)',
    'number(x, null, null)',
  ],
  ...[
    'contains(x + x + "b", x + "b")',
    'split(x, "b")',
    'modulo(x, 7)',
    'decimal(x, 6000)',
    'x ** 0.5',
    'x ** x',
    'log(x)',
    'context(x)',
    'reverse(x)',
  ],
];

/** `of` with `x` replaced by `name`. */
function about(of: string, name: string): string {
  return of.replace(/\bx\b/g, name);
}

/** Steps one after the other, each of the one before. */
function chain(random: Random): string {
  const length = random.magnitude(3, 100);
  const kinds = Array.from({ length: random.between(1, 3) }, () => random.pick(steps));
  const entries = [`v0: ${random.pick(starts)}`];
  for (let index = 1; index <= length; index += 1) {
    entries.push(`v${index}: ${about(kinds[index % kinds.length] ?? 'x', `v${index - 1}`)}`);
  }
  return `{${entries.join(', ')}, r: ${about(random.pick(uses), `v${length}`)}}.r`;
}

/** A loop that makes more of what it has made. */
function loop(random: Random): string {
  const count = random.magnitude(10, 200_000);
  const step = about(random.pick(steps), 'partial[-1]');
  const body = random.chance(0.5)
    ? `if i = 1 then ${random.pick(starts)} else ${step}`
    : random.pick([
        'partial',
        '[partial]',
        'count(partial)',
        'partial[-1]',
        'sum(partial)',
        'string(partial)',
        'partial = partial',
      ]);
  return about(random.pick(uses), `(for i in 1..${count} return ${body})[-1]`);
}

/** A loop around something, over much. */
function repeated(random: Random): string {
  const count = random.magnitude(100, 100_001);
  const value = `(${random.pick(starts)})`;
  const work = about(random.pick(random.chance(0.5) ? uses : steps), 'y');
  const domain = random.pick([
    `1..${count}`,
    `[1..${count}]`,
    `@"2026-01-01"..@"2026-01-01" + @"P1D" * ${count}`,
    'y',
    'xs',
  ]);
  return `{y: ${value}, r: count(for i in ${domain} return ${work})}.r`;
}

/** A function that calls itself, in the arms of others. */
function recursive(random: Random): string {
  const frames = [
    ...['f(f, n - 1)', '[f(f, n - 1)]', 'f(f, n - 1) + f(f, n - 1)', '1 + f(f, n - 1)', '{a: f(f, n - 1)}.a'],
    ...['sort([1, 2, 3], function(a, b) f(f, n - 1))', 'list replace([1, 2], function(a, b) f(f, n - 1), 3)'],
    ...[
      'for i in 1..2 return f(f, n - 1)',
      'some i in [1, 2] satisfies f(f, n - 1) = 1',
      '[1, 2][f(f, n - 1) = 1]',
      '[1][f(f, n - 1)]',
    ],
    ...[
      '1 in (f(f, n - 1))',
      '1 in (function(a) f(f, n - 1))',
      'if f(f, n - 1) = 1 then f(f, n - 1) else 2',
      'f(n: n - 1, f: f)',
    ],
    ...[
      'count(list: f(f, n - 1))',
      'not(f(f, n - 1))',
      'f(f, n - 1) between f(f, n - 1) and 2',
      '(function(g) g(f, n - 1))(f)',
    ],
    ...[
      'string(f(f, n - 1))',
      'f(f, n - 1) instance of number',
      '-f(f, n - 1)',
      'f(f, n - 1) and f(f, n - 1)',
      '[f(f, n - 1)..2]',
    ],
  ];
  let body = random.pick(frames);
  for (let left = random.magnitude(1, 6) - 1; left > 0; left -= 1) {
    const inner = body;
    body = random.pick(frames).replace('f(f, n - 1)', () => `(${inner})`);
  }
  const end = random.chance(0.7) ? `if n = 0 then 1 else ${body}` : body;
  return `{f: function(f, n) ${end}, r: f(f, ${random.magnitude(3, 10_000)})}.r`;
}

/** Much text of one kind. */
function monotonous(random: Random): string {
  const count = random.magnitude(10, 3_000);
  const parts = (make: (index: number) => string, divider: string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(divider);
  return random.pick([
    () => `[${parts((index) => `n${index}`, ', ')}]`,
    () => `[${parts(String, ', ')}]`,
    () => `{${parts((index) => `k${index}: ${index}`, ', ')}}`,
    () => `{${parts((index) => `"k ${index}": ${index}`, ', ')}}`,
    () => parts((index) => `${index}`, ' + '),
    () => parts((index) => `a = ${index}`, ' or '),
    () => `a in (${parts(String, ', ')})`,
    () => parts((index) => `"${index}"`, ', '),
    () => `if a then 1 else ${parts((index) => `if b = ${index} then 2`, ' else ')} else 3`,
    () => `${'a.'.repeat(count)}a`,
    () => `a${'[1]'.repeat(count)}`,
    () => `a${'(1)'.repeat(count)}`,
    () => `matches(s, "${'(a?)'.repeat(count % 400)}${'a'.repeat(count % 400)}")`,
    () => `function(${parts((index) => `p${index}`, ', ')}) p1`,
    () => `for ${parts((index) => `i${index} in [1, 2]`, ', ')} return i0`,
    () => `"${'\\u0041'.repeat(count)}"`,
    () => `${'/* a */ '.repeat(count)}1`,
    () => `${' '.repeat(count)}1${'\n'.repeat(count)}+ 2`,
    () => `x instance of ${'list<'.repeat(count % 60)}number${'>'.repeat(count % 60)}`,
    () => `x instance of context<${parts((index) => `k${index}: number`, ', ')}>`,
    () => `${'a b '.repeat(count % 40)} + ${'c-d'.repeat(count % 90)}`,
    () => `{a-b: 1, r: ${parts(() => 'a-b', ' - ')}}`,
    () => `{${parts((index) => `v${index + 1}: {a: v${index}, b: v${index}}`, ', ')}}`,
  ])();
}

const kinds = [
  { weight: 4, make: chain, name: 'a chain' },
  { weight: 3, make: loop, name: 'a loop over its results' },
  { weight: 3, make: repeated, name: 'a loop over much' },
  { weight: 3, make: recursive, name: 'a recursion' },
  { weight: 3, make: monotonous, name: 'much of one kind' },
];

export function hostileText(random: Random): { readonly name: string; readonly text: string } {
  const { make, name } = random.weighted(kinds);
  return { name, text: make(random) };
}

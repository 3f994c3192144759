/** Values of every type, for properties: odd keys, odd texts, numbers of every form. */
import fc from 'fast-check';
import { canonical, type FeelNumber } from '../../definitions/feel/number.ts';
import { fromText } from '../../definitions/feel/number-text.ts';
import { Temporal, type TemporalKind, type Value } from '../../definitions/value.ts';

const kinds: readonly TemporalKind[] = [
  'date',
  'time',
  'date-time',
  'days-time-duration',
  'years-months-duration',
];

/** Keys and texts that codecs trip over. */
const awkward = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', 'toJSON', '$temporal', 'text', 'entries', '', '0', '\u0000'],
  ...[
    '\ud800',
    '\udc00x',
    '"$temporal"',
    '\u2028',
    'ä🙂',
    'length',
    'number',
    '\u00000',
    '12345678901234567890',
  ],
);
const text = fc.oneof(awkward, fc.string({ unit: 'binary' }));

const significand = fc.oneof(
  fc.stringMatching(/^[1-9]\d{0,33}$/),
  fc.stringMatching(/^[1-9]\d{33}$/),
  fc.stringMatching(/^[1-9]\d{14,16}$/),
);
const exponent = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: -40, max: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: -6_176, max: 6_111 }) },
  { weight: 1, arbitrary: fc.constantFrom(-6_176, 6_111, -301, -300, 300, 301) },
);
const sign = fc.constantFrom('', '-');

/** Literals of JSON that spell a number of at most 34 digits in the range of decimal128, in many ways. */
export const anyNumberLiteral: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0', '-0', '0.000', '-0.0e-7', '0e999999', '1E5', '1.0', '100e-2', '12e+3', '0.1'),
  fc.tuple(sign, significand, exponent).map(([minus, digits, power]) => `${minus}${digits}e${power}`),
  fc.tuple(sign, significand, fc.nat(34)).map(([minus, digits, places]) => {
    const padded = digits.padStart(places + 1, '0');
    const whole = padded.slice(0, padded.length - places);
    return `${minus}${whole}${places === 0 ? '' : `.${padded.slice(padded.length - places)}`}`;
  }),
);

export const anyNumber: fc.Arbitrary<FeelNumber> = fc.oneof(
  anyNumberLiteral.map((literal) => fromText(literal) ?? 0),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((double) => canonical(double) ?? 0),
);

export const { value: anyValue } = fc.letrec<{ value: Value; context: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    anyNumber,
    text,
    fc.tuple(fc.constantFrom(...kinds), text).map(([kind, iso]) => new Temporal(kind, iso)),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('context'),
  ),
  context: fc
    .array(fc.tuple(text, tie('value')), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries)),
}));

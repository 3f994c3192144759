/** Keys of Camunda 8 from our ids, and back (keys.ts). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  definitionKeyOf,
  definitionPlaceOf,
  deploymentKeyOf,
  idOf,
  keyOf,
} from '../../channels/pull/compat/camunda8/keys.ts';

const hexDigits = (length: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.integer({ min: 0, max: 15 }).map((digit) => digit.toString(16)),
      { minLength: length, maxLength: length },
    )
    .map((digits) => digits.join(''));
const uuids = hexDigits(32).map((hex) =>
  [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-'),
);

describe('K1: a key', () => {
  test('of any UUID is digits and leads back to it', () => {
    fc.assert(
      fc.property(uuids, (uuid) => {
        assert.match(keyOf(uuid), /^\d{1,39}$/);
        assert.equal(idOf(keyOf(uuid)), uuid);
      }),
    );
  });

  test('of any place of any deployment leads back to it', () => {
    const deployments = hexDigits(24).map((hex) => `dep-${hex}`);
    fc.assert(
      fc.property(deployments, fc.integer({ min: 0, max: 65_535 }), (deploymentId, index) => {
        assert.deepEqual(definitionPlaceOf(definitionKeyOf({ deploymentId, index })), {
          deploymentId,
          index,
        });
        assert.notEqual(
          definitionKeyOf({ deploymentId, index: index + 1 > 65_535 ? 0 : index + 1 }),
          definitionKeyOf({ deploymentId, index }),
        );
      }),
    );
  });

  test('is the deployment’s own at place 0', () => {
    assert.equal(deploymentKeyOf(`dep-${'0'.repeat(23)}1`), '65536');
  });

  const noKeys = [
    '',
    '-1',
    '+1',
    '01',
    '1.0',
    '1e3',
    'abc',
    ' 1',
    '1 ',
    '١',
    '9'.repeat(40),
    (1n << 128n).toString(),
  ];
  for (const text of noKeys) {
    test(`is not ${JSON.stringify(text)}`, () => {
      assert.equal(idOf(text), null);
      assert.equal(definitionPlaceOf(text), null);
    });
  }

  test('of a deployment is at most 112 bits', () => {
    assert.equal(definitionPlaceOf((1n << 112n).toString()), null);
    assert.notEqual(definitionPlaceOf(((1n << 112n) - 1n).toString()), null);
  });
});

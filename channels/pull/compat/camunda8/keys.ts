/**
 * Camunda 8's keys: decimal numbers as texts, made of our ids and back without a table.
 *
 * | there                     | here                                                                        |
 * |---------------------------|-----------------------------------------------------------------------------|
 * | job, process instance     | the 128 bits of the UUID                                                    |
 * | deployment                | the 96 bits of `dep-` and 24 hex digits, then 16 bits that are 0            |
 * | process definition, form… | as the deployment's, with the place of the id in the sorted list, from 1 up |
 *
 * K1 Every id has one key, and `idOf(keyOf(id)) === id`; a text that no id makes is no key.
 * K2 A key has up to 39 digits: more than a Java `long`, and than the 25 that the clients' own checks of answers allow.
 */
const UUID_BITS = 128n;
const INDEX_BITS = 16n;
const MAX_INDEX = (1n << INDEX_BITS) - 1n;
const DEPLOYMENT_BITS = 96n;

const DIGITS = /^(?:0|[1-9]\d{0,38})$/;

export function keyOf(uuid: string): string {
  return BigInt(`0x${uuid.replaceAll('-', '')}`).toString();
}

/** The UUID in lower case; null: no UUID has that key. */
export function idOf(key: string): string | null {
  if (!DIGITS.test(key)) return null;
  const bits = BigInt(key);
  if (bits >> UUID_BITS !== 0n) return null;
  const hex = bits.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** `index` 0: of the deployment itself. */
export interface DefinitionPlace {
  readonly deploymentId: string;
  readonly index: number;
}

export function definitionKeyOf({ deploymentId, index }: DefinitionPlace): string {
  const place = BigInt(index);
  if (place > MAX_INDEX) throw new RangeError(`deployment ${deploymentId} has more than 65535 definitions`);
  return ((BigInt(`0x${deploymentId.slice('dep-'.length)}`) << INDEX_BITS) | place).toString();
}

/** Null: no deployment makes that key. */
export function definitionPlaceOf(key: string): DefinitionPlace | null {
  if (!DIGITS.test(key)) return null;
  const bits = BigInt(key);
  if (bits >> (DEPLOYMENT_BITS + INDEX_BITS) !== 0n) return null;
  const deployment = bits >> INDEX_BITS;
  return {
    deploymentId: `dep-${deployment.toString(16).padStart(24, '0')}`,
    index: Number(bits & MAX_INDEX),
  };
}

export function deploymentKeyOf(deploymentId: string): string {
  return definitionKeyOf({ deploymentId, index: 0 });
}

/** What a process model says, without where it was written: for tests of one model in two notations. */
import type { ProcessDefinition } from '../../definitions/model.ts';

/** Plain data: places are left out, expressions are their texts, maps are sorted by key. */
export function saidBy(process: ProcessDefinition): unknown {
  return plain(process);
}

function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) {
    const entries = [...value].map(([key, each]): [string, unknown] => [String(key), plain(each)]);
    return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
  if (Array.isArray(value)) return value.map(plain);
  if ('evaluate' in value && 'text' in value) return `=${String(value.text)}`;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'place')
      // In which order a scope holds its nodes says nothing: sequence flows do.
      .map(([key, each]) => [key, key === 'children' && Array.isArray(each) ? each.toSorted() : plain(each)]),
  );
}

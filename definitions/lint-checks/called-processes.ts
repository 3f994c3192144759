/** Which processes of a package take part in one instance, as far as the package shows it. */
import type { CallActivity, ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';

/**
 * The process, those that it calls, those that call it, and so on. Null: one of them may call a process that the
 * package does not have.
 */
export function familyOf(
  { processes }: PackageModel,
  process: ProcessDefinition,
): readonly ProcessDefinition[] | null {
  const family = new Set<ProcessDefinition>();
  const pending = [process];
  for (let member = pending.pop(); member !== undefined; member = pending.pop()) {
    if (family.has(member)) continue;
    family.add(member);
    const { id } = member;
    const calledIds = calledBy(member);
    if (calledIds?.every((calledId) => processes.has(calledId)) !== true) return null;
    pending.push(...calledIds.flatMap((calledId) => processes.get(calledId) ?? []));
    pending.push(...[...processes.values()].filter((other) => calledBy(other)?.includes(id) ?? true));
  }
  return [...family];
}

/** Null: only the data tell, or the active version of whatever package. */
function calledBy({ nodes }: ProcessDefinition): readonly string[] | null {
  const ids: string[] = [];
  for (const node of nodes.values()) {
    if (node.kind !== 'callActivity') continue;
    const called = idsCalledAt(node);
    if (called === null) return null;
    ids.push(...called);
  }
  return ids;
}

function idsCalledAt({ called, binding }: CallActivity): readonly string[] | null {
  if (binding === 'latest') return null;
  switch (called.kind) {
    case 'process':
      return [called.processId];
    case 'expression':
      return null;
    case 'dispatch': {
      const ids = called.cases.map(({ processId }) => processId);
      return called.defaultProcessId === null ? ids : [...ids, called.defaultProcessId];
    }
  }
}

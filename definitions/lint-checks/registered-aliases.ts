/** Where processes register aliases. */
import {
  messageTriggersOf,
  startPointsOf,
  type AliasDefinition,
  type FlowNode,
  type ProcessDefinition,
} from '../model.ts';

export interface RegisteredAlias {
  readonly node: FlowNode;
  readonly alias: AliasDefinition;
  /** When the instance begins; else when it comes to a wait. */
  readonly isAtStart: boolean;
}

export function registeredAliasesOf(process: ProcessDefinition): readonly RegisteredAlias[] {
  const startIds = new Set([...process.start, ...startPointsOf(process).map(({ nodeId }) => nodeId)]);
  return [...process.nodes.values()].flatMap((node) =>
    aliasesAt(node).map((alias) => ({ node, alias, isAtStart: startIds.has(node.id) })),
  );
}

function aliasesAt(node: FlowNode): readonly AliasDefinition[] {
  const own = 'aliases' in node ? node.aliases : [];
  return [...new Set([...own, ...messageTriggersOf(node).flatMap(({ aliases }) => aliases)])];
}

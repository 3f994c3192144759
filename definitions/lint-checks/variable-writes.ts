/**
 * What each flow node writes into variables, by name.
 *
 * V1 Nothing is left out: what a node may write under names that are not known makes it open.
 * V2 What is local to an activity is listed as well, under the same name; who tells variables apart gives up on a
 *    name that is local anywhere.
 */
import {
  messageTriggersOf,
  isActivity,
  type Activity,
  type CatchDefinition,
  type DataMapping,
  type FlowNode,
} from '../model.ts';

export interface Writes {
  /** Before the node's own work: data inputs, and what a loop counts. */
  readonly before: readonly string[];
  /** When it is done. */
  readonly after: readonly string[];
  /** When it is done it may write variables of any name. */
  readonly isOpen: boolean;
}

export function writesOf(node: FlowNode): Writes {
  const writes = [...occurringAt(node), ...workOf(node)];
  const names = writes.filter((name) => name !== null);
  const activity = isActivity(node) ? node : null;
  const outputs = activity?.data.outputs ?? ('outputs' in node ? node.outputs : []);
  return {
    before: activity === null ? [] : [...localsOf(activity), ...targetsOf(activity.data.inputs)],
    after: [...names, ...targetsOf(outputs), ...collectionsOf(activity)],
    isOpen: names.length < writes.length,
  };
}

/** Variables that an activity has of its own. */
export function localsOf({ loop, data }: Activity): readonly string[] {
  if (loop === null) return data.locals;
  const own = loop.kind === 'multiInstance' ? [loop.itemVariable, loop.outputItemVariable] : [];
  return [...data.locals, 'loopCounter', ...own.filter((name) => name !== null)];
}

function collectionsOf(activity: Activity | null): readonly string[] {
  const collection = activity?.loop?.kind === 'multiInstance' ? activity.loop.outputCollection : null;
  return collection === null ? [] : [collection];
}

function targetsOf(mappings: readonly DataMapping[]): readonly string[] {
  return mappings.flatMap(({ to }) => (to.kind === 'variable' ? to.path.slice(0, 1) : []));
}

/** By what comes to the node; null: under any name. */
function occurringAt(node: FlowNode): readonly (string | null)[] {
  const messages = messageTriggersOf(node).flatMap(({ source }) =>
    source.mergesPayload ? [null, source.variable] : [source.variable],
  );
  return 'triggers' in node ? [...messages, ...node.triggers.flatMap(caughtBy)] : messages;
}

function caughtBy(trigger: CatchDefinition): readonly (string | null)[] {
  switch (trigger.kind) {
    case 'signal':
      return [trigger.variable];
    case 'error':
      // Who reports an error sends variables along.
      return [null, ...[trigger.codeVariable, trigger.messageVariable].filter((name) => name !== null)];
    case 'escalation':
      return trigger.codeVariable === null ? [] : [trigger.codeVariable];
    default:
      return [];
  }
}

/** By the work itself; null: under any name. */
function workOf(node: FlowNode): readonly (string | null)[] {
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      return node.implementation.kind === 'data' ? [] : [node.outputVariable];
    case 'scriptTask':
      return [node.outputVariable];
    case 'callActivity':
      return node.results === null ? [null] : node.results.map(({ variable }) => variable);
    case 'userTask':
      return [null];
    case 'subProcess':
      return node.variant.kind === 'adHoc' ? [null] : [];
    default:
      return [];
  }
}

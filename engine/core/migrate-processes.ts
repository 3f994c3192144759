/** Which element of the old model is which of the new one: of the instance's process, and of those that it calls. */
import type { FlowNode, ProcessDefinition } from '../../definitions/model.ts';
import { graphOf, type Graph } from './graph.ts';
import type { LiveScope } from './live-state.ts';
import type { MigrationReasons } from './migrate-reasons.ts';
import type { Step } from './step.ts';
import type { Stimulus } from './stimulus.ts';

type Elements = Extract<Stimulus, { readonly kind: 'migrate' }>['elements'];

/** One process in both models. */
export class ProcessPair {
  readonly from: Graph;
  readonly to: Graph;
  readonly #elements: Elements;

  constructor(from: ProcessDefinition, to: ProcessDefinition, elements: Elements) {
    this.from = graphOf(from);
    this.to = graphOf(to);
    this.#elements = elements;
  }

  /** What a flow node, or the process itself, is called in the new model, if it is there. */
  nodeId(id: string): string {
    const other = this.#mapped(id);
    return other !== undefined && this.hasNodes(id, other) ? other : id;
  }

  /** Undefined: the new model does not have it. */
  node(id: string): FlowNode | undefined {
    return this.to.process.nodes.get(this.nodeId(id));
  }

  /** Null: the new model does not have that sequence flow. */
  flowId(id: string): string | null {
    const other = this.#mapped(id);
    const flowId = other !== undefined && this.hasFlows(id, other) ? other : id;
    return this.to.process.flows.has(flowId) ? flowId : null;
  }

  #mapped(id: string): string | undefined {
    return Object.hasOwn(this.#elements, id) ? this.#elements[id] : undefined;
  }

  hasNodes(id: string, other: string): boolean {
    return this.from.process.nodes.has(id) && this.to.process.nodes.has(other);
  }

  hasFlows(id: string, other: string): boolean {
    return this.from.process.flows.has(id) && this.to.process.flows.has(other);
  }
}

/** The processes that go along, by their ids. */
export class ProcessPairs {
  /** Of the new model. */
  readonly deploymentId: string;
  readonly #fromDeploymentId: string;
  readonly #pairs = new Map<string, ProcessPair>();

  /** Those that run, and those that are named by call activities, so that `elements` can name what is in them. */
  constructor(step: Step, deploymentId: string, elements: Elements) {
    const { calls, deploymentId: fromDeploymentId } = step.context;
    this.deploymentId = deploymentId;
    this.#fromDeploymentId = fromDeploymentId;
    const old = [...step.scopes.values()].filter((scope) => this.isOfOld(scope));
    const pending = old.map(({ graph }) => graph.process);
    const seen = new Set<string>();
    for (let from = pending.pop(); from !== undefined; from = pending.pop()) {
      if (seen.has(from.id)) continue;
      seen.add(from.id);
      const to = calls?.get(deploymentId, from.id) ?? null;
      if (to !== null) this.#pairs.set(from.id, new ProcessPair(from, to, elements));
      for (const id of calledIds(from)) {
        const called = calls?.get(fromDeploymentId, id) ?? null;
        if (called !== null) pending.push(called);
      }
    }
  }

  /** Whether a process of the old deployment runs in the scope. */
  isOfOld({ deploymentId }: LiveScope): boolean {
    return deploymentId === this.#fromDeploymentId;
  }

  /** Null: what runs in the scope stays as it is, or the new deployment does not have it. */
  of(scope: LiveScope): ProcessPair | null {
    return this.isOfOld(scope) ? (this.#pairs.get(scope.graph.process.id) ?? null) : null;
  }

  /** An entry may be about any of the processes. */
  checkEntries(elements: Elements, reasons: MigrationReasons): void {
    const pairs = [...this.#pairs.values()];
    for (const [id, other] of Object.entries(elements)) {
      const known = pairs.filter(({ from: { process } }) => process.nodes.has(id) || process.flows.has(id));
      if (known.length === 0) {
        reasons.add(id, null, `${id} is mapped to ${other}, and the old model has no element ${id}`);
      } else if (!known.some((pair) => pair.hasNodes(id, other) || pair.hasFlows(id, other))) {
        const sort = known.some(({ from }) => from.process.nodes.has(id)) ? 'flow node' : 'sequence flow';
        reasons.add(id, null, `${id} is mapped to ${other}, and the new model has no ${sort} ${other}`);
      }
    }
  }
}

/** The processes that its call activities name; what an expression gives is not known before it is called. */
function calledIds({ nodes }: ProcessDefinition): readonly string[] {
  return [...nodes.values()].flatMap((node) => {
    if (node.kind !== 'callActivity' || node.called.kind === 'expression') return [];
    if (node.called.kind === 'process') return [node.called.processId];
    const { cases, defaultProcessId } = node.called;
    return [
      ...cases.map(({ processId }) => processId),
      ...(defaultProcessId === null ? [] : [defaultProcessId]),
    ];
  });
}

/** Where a token can come to rest, so that the turn ends. */
import type { FlowNode } from '../model.ts';

/** Whether a token may wait at the node: for somebody, for a time, for other tokens or for what is inside. */
export function mayWait(node: FlowNode): boolean {
  switch (node.kind) {
    case 'startEvent':
    case 'boundaryEvent':
    case 'exclusiveGateway':
    case 'scriptTask':
    case 'sendTask':
    case 'task':
    case 'manualTask':
      return false;
    case 'endEvent':
    case 'intermediateThrowEvent':
      // A compensation that is thrown is waited for.
      return node.results.some(({ kind }) => kind === 'compensation');
    case 'intermediateCatchEvent':
      return node.triggers.some(({ kind }) => kind !== 'link');
    case 'serviceTask':
    case 'businessRuleTask':
      return node.implementation.kind === 'channel' || node.implementation.kind === 'registered';
    case 'inclusiveGateway':
    case 'parallelGateway':
    case 'complexGateway':
      return node.incoming.length > 1;
    case 'receiveTask':
    case 'userTask':
    case 'subProcess':
    case 'callActivity':
    case 'eventBasedGateway':
      return true;
  }
}

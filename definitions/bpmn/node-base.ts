/** What every flow node, and every activity, of the model has in common. */
import type { Place } from '../../config/engine-error.ts';
import type { ActivityData, LoopDefinition } from '../model.ts';

export interface NodeBase {
  readonly id: string;
  readonly name: string | null;
  readonly place: Place;
  readonly parentId: string;
  readonly incoming: readonly string[];
  readonly outgoing: readonly string[];
  readonly isAudited?: true;
}

export interface ActivityBase extends NodeBase {
  readonly boundaryEventIds: readonly string[];
  readonly defaultFlowId: string | null;
  readonly isForCompensation: boolean;
  readonly loop: LoopDefinition | null;
  readonly data: ActivityData;
}

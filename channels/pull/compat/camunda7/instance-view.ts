/** A process instance as Camunda shows it. */
import { tenantIdOf } from './engine-ids.ts';

export interface InstanceFacts {
  readonly id: string;
  readonly definitionId: string;
  readonly definitionKey: string;
  readonly businessKey: string | null;
  readonly tenant: string;
  readonly isEnded: boolean;
}

export function instanceView({ tenant, isEnded, ...facts }: InstanceFacts): Record<string, unknown> {
  return {
    ...facts,
    links: [],
    caseInstanceId: null,
    ended: isEnded,
    suspended: false,
    tenantId: tenantIdOf(tenant),
  };
}

/** Attributes that may stand on executed elements, and of which only the schema's default is executed. */
import type { BpmnCode } from './codes.ts';

/** An attribute whose value can ask for something that is not executed. */
export interface RefusedAttribute {
  readonly kind: 'boolean' | 'integer' | 'text';
  /** The value that is executed: the schema's default. */
  readonly executed: string;
  readonly code: BpmnCode;
  readonly remedy: string;
}

const ATTRIBUTE = 'SUTRA.BPMN.ATTRIBUTE_NOT_EXECUTED';

const noBehaviorEvent: RefusedAttribute = {
  kind: 'text',
  executed: '',
  code: ATTRIBUTE,
  remedy: 'throw the event in the activity, or after all instances',
};

export const refusedAttributes: Readonly<Record<string, RefusedAttribute>> = {
  method: {
    kind: 'text',
    executed: '##Compensate',
    code: ATTRIBUTE,
    remedy: 'only compensation undoes a transaction',
  },
  behavior: {
    kind: 'text',
    executed: 'All',
    code: ATTRIBUTE,
    remedy: 'throw the event in the activity, or after all instances',
  },
  oneBehaviorEventRef: noBehaviorEvent,
  noneBehaviorEventRef: noBehaviorEvent,
  startQuantity: { kind: 'integer', executed: '1', code: ATTRIBUTE, remedy: 'use a parallel gateway' },
  completionQuantity: { kind: 'integer', executed: '1', code: ATTRIBUTE, remedy: 'use a parallel gateway' },
  mustUnderstand: {
    kind: 'boolean',
    executed: 'false',
    code: ATTRIBUTE,
    remedy: 'model without the extension',
  },
};

/** What a golden file is made from: a model, and what happens to an instance of it. */
import type { ProcessDefinition } from '../../definitions/model.ts';
import { type Value } from '../../definitions/value.ts';
import type { Stimulus } from '../../engine/core/stimulus.ts';
import { type InstanceOptions, type StartOptions } from '../core/instance.ts';
import type { Step } from './steps.ts';

export interface GoldenCase {
  readonly process: ProcessDefinition;
  readonly options?: InstanceOptions;
  readonly start?: StartOptions;
  /** More about the start than its options say. */
  readonly startedBy?: Partial<Extract<Stimulus, { kind: 'start' }>>;
  readonly records?: readonly (readonly [store: string, key: string, value: Value])[];
  readonly steps: readonly Step[];
}

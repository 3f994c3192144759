/** Tests as tables: a process, what is done to its instance step by step, and what then is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProcessDefinition } from '../../definitions/model.ts';
import type { Context, Value } from '../../definitions/value.ts';
import { data } from '../support/model-builder.ts';
import type { NodeSpec } from '../support/process-model.ts';
import { Instance, type InstanceOptions, type StartOptions } from './instance.ts';

export interface Expected {
  /** The elements that wait, are joining or have failed, without owners of scopes, separated by blanks. */
  readonly active?: string;
  /** All `kind:element` that are waited for, separated by blanks. */
  readonly waits?: string;
  /** The variables of the root scope, all of them. */
  readonly variables?: Context;
  /** The instance has failed with this code. */
  readonly failure?: string;
  /** The signals that go out in this step: names to payloads. */
  readonly signals?: readonly (readonly [string, Value])[];
  /** The elements that send in this step, in order, separated by blanks. */
  readonly sends?: string;
  readonly check?: (instance: Instance) => void;
}

/** What is done, and what then is: a text is what is `active`, or the status of the instance that has ended. */
export type Row = readonly [act: (instance: Instance) => unknown, expected: string | Expected];

export function scenario(
  name: string,
  process: ProcessDefinition,
  rows: readonly Row[],
  options: InstanceOptions = {},
): void {
  test(name, () => {
    play(new Instance(process, options), rows);
  });
}

/** Does the rows one after another. @returns the instance */
export function play(instance: Instance, rows: readonly Row[]): Instance {
  for (const [index, [act, expected]] of rows.entries()) {
    act(instance);
    const where = `in row ${index + 1}`;
    if (expected === 'completed' || expected === 'terminated') assert.equal(instance.status, expected, where);
    else check(instance, typeof expected === 'string' ? { active: expected } : expected, where);
  }
  return instance;
}

function check(instance: Instance, expected: Expected, where: string): void {
  const { active, waits, variables, failure, signals, sends } = expected;
  const { failure: failed } = instance.snapshot;
  assert.equal(failed?.code, failure, failed === null ? where : `${where}: ${failed.message}`);
  if (active !== undefined) assert.deepEqual(instance.active, words(active).sort(), where);
  if (waits !== undefined) assert.deepEqual(instance.waits, words(waits).sort(), where);
  if (variables !== undefined) assert.deepEqual(instance.variables, variables, where);
  if (signals !== undefined) {
    const thrown = instance.ofKind('signalThrown').map(({ name, payload }) => [name, payload]);
    assert.deepEqual(thrown, signals, where);
  }
  if (sends !== undefined) {
    const senders = instance.ofKind('send').map(({ elementId }) => elementId);
    assert.deepEqual(senders, words(sends), where);
  }
  expected.check?.(instance);
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

// --- what rows often do ----------------------------------------------------------------------------

export function begin(variables: Context = {}, options: StartOptions = {}): Row[0] {
  return (instance) => instance.start({ variables, ...options });
}

/** Completes user tasks, one after another; `t#2` is the third oldest at `t`. */
export function done(elements: string, variables: Context = {}): Row[0] {
  return (instance) => {
    for (const word of words(elements)) {
      const [elementId = '', nth = '0'] = word.split('#');
      instance.complete(elementId, variables, Number(nth));
    }
  };
}

export function fired(elementId: string): Row[0] {
  return (instance) => instance.fire(elementId);
}

export function delivered(elementId: string, payload: Value = {}): Row[0] {
  return (instance) => instance.deliver(elementId, payload);
}

export function answered(elementId: string, payload: Value = {}, nth = 0): Row[0] {
  return (instance) => instance.answer(elementId, payload, nth);
}

export function signalled(name: string, payload: Value = null): Row[0] {
  return (instance) => instance.signal(name, payload);
}

/** Writes variables from the root, or as seen from the element. */
export function written(variables: Context, elementId?: string): Row[0] {
  return (instance) => instance.set(variables, elementId);
}

/** A task that is done at once and leaves its id in the list `log`. */
export function note(id: string): NodeSpec {
  return data(id, [`log = append(log, "${id}")`]);
}

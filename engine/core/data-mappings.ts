/**
 * Data that an activity reads when it begins and writes when it is done. BPMN 2.0.2 §10.4.2.
 *
 * D1 Mappings run in document order; each sees what those before it wrote.
 * D2 A record of a data store is read and written inside the turn; what the step wrote is what it reads again.
 */
import type { Activity, DataMapping, StoreReference } from '../../definitions/model.ts';
import { isContext, ownProperty, type Context, type Value } from '../../definitions/value.ts';
import { aliasText } from './aliases.ts';
import { ElementFailure } from './element-failure.ts';
import { evaluate } from './evaluate.ts';
import { NeedsRecord } from './incomplete.ts';
import type { LiveToken } from './live-state.ts';
import { assignPath, countCopy, define, definePath, forget } from './scope-variables.ts';
import type { Step } from './step.ts';
import { equalValues } from './value-equality.ts';

/**
 * What an activity takes in. Names of its own data hide those outside only once they are filled, so that a data
 * input can have the name of the variable that it is filled from.
 * @throws ElementFailure
 */
export function takeInputs(step: Step, token: LiveToken, { data, loop }: Activity): void {
  const { scope } = token;
  const { locals, inputs } = data;
  // Begun anew after a failure, it reads what is outside again.
  if (locals.length > 0) forget(scope, locals);
  for (const mapping of inputs) {
    runMapping(step, token, mapping, (path, value) => {
      if (isOneOf(locals, path)) definePath(scope, path, value);
      else assignPath(scope, path, value);
    });
  }
  const own = loop?.kind === 'multiInstance' ? [loop.itemVariable, loop.outputItemVariable] : [];
  for (const name of locals) {
    if (!Object.hasOwn(scope.variables, name) && !own.includes(name)) define(scope, name, null);
  }
}

/**
 * What an activity gives out: from its own data to what is outside, whatever the names.
 * @throws ElementFailure
 */
export function giveOutputs(step: Step, token: LiveToken, { data, loop }: Activity): void {
  const { scope } = token;
  const isOwn = data.locals.length > 0 || data.isClosed;
  const outer = isOwn && scope.parent !== null ? scope.parent : scope;
  const item = loop?.kind === 'multiInstance' ? loop.outputItemVariable : null;
  for (const mapping of data.outputs) {
    runMapping(step, token, mapping, (path, value) => {
      assignPath(path[0] === item ? scope : outer, path, value);
    });
  }
}

/** What an event that has occurred writes around it. @throws ElementFailure */
export function setOutputs(step: Step, token: LiveToken, outputs: readonly DataMapping[]): void {
  for (const mapping of outputs) {
    runMapping(step, token, mapping, (path, value) => {
      assignPath(token.scope, path, value);
    });
  }
}

function isOneOf(names: readonly string[], [name]: readonly string[]): boolean {
  return name !== undefined && names.includes(name);
}

function runMapping(
  step: Step,
  token: LiveToken,
  { from, to }: DataMapping,
  write: (path: readonly string[], value: Value) => void,
): void {
  const value =
    from.kind === 'expression' ? evaluate(step, token, from.expression) : readStore(step, token, from.store);
  if (to.kind === 'variable') write(to.path, value);
  else writeStore(step, token, to.store, value);
}

function readStore(step: Step, token: LiveToken, store: StoreReference): Value {
  const record = recordAt(step, store, keyOf(step, token, store), store.isForUpdate);
  return store.field === null ? record : fieldOf(record, store, store.field);
}

function writeStore(step: Step, token: LiveToken, reference: StoreReference, value: Value): void {
  const { store, field, expect } = reference;
  const key = keyOf(step, token, reference);
  let next = value;
  if (field !== null || expect !== null) {
    const record = recordAt(step, reference, key, true);
    const present = field === null ? record : fieldOf(record, reference, field);
    if (expect !== null && !equalValues(present, evaluate(step, token, expect))) {
      throw new ElementFailure(
        'SUTRA.CORE.RECORD_UNEXPECTED',
        `${field === null ? 'the record' : `the field ${field} of the record`} in the data store ${store} is not what ${token.elementId} expects`,
      );
    }
    if (field !== null) {
      const context = contextOf(record, reference, field);
      countCopy(token.scope, context);
      next = { ...context, [field]: value };
    }
  }
  step.writeRecord(store, key, next);
}

function recordAt(step: Step, { store }: StoreReference, key: string, isForUpdate: boolean): Value {
  const written = step.writtenRecord(store, key);
  if (written !== undefined) return written;
  const wanted = { store, key, isForUpdate };
  const record = step.context.records?.get(wanted);
  if (record === undefined) throw new NeedsRecord(wanted);
  return record;
}

function fieldOf(record: Value, reference: StoreReference, field: string): Value {
  return ownProperty(contextOf(record, reference, field), field) ?? null;
}

/** A record that is not there yet begins as an empty context. */
function contextOf(record: Value, { store }: StoreReference, field: string): Context {
  if (record === null) return {};
  if (isContext(record)) return record;
  throw new ElementFailure(
    'SUTRA.CORE.RECORD_FIELD_INVALID',
    `the record in the data store ${store} is not a context and has no field ${field}`,
  );
}

/** Keys are texts by the rules of aliases, so that 1 and "1" name the same record. */
function keyOf(step: Step, token: LiveToken, { store, key }: StoreReference): string {
  const result = aliasText(evaluate(step, token, key));
  if (result.kind === 'text') return result.text;
  const fault = result.kind === 'none' ? 'is null' : result.reason;
  throw new ElementFailure('SUTRA.CORE.RECORD_KEY_INVALID', `the key for the data store ${store} ${fault}`);
}

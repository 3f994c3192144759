/**
 * Reading and writing variables over the chain of scopes.
 *
 * V1 A name is looked up in the token's own scope first, then outwards.
 * V2 A write goes to the nearest scope that has the variable, else to the root: what a sub-process works
 *    out is there after it. A scope's own variables are those that it was created with.
 * V3 A context that was handed out is never written to: the first write after that copies it.
 */
import { isContext, mergeContext, ownProperty, type Context, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveScope } from './live-state.ts';

export function lookUp(from: LiveScope, name: string): Value | undefined {
  for (let scope: LiveScope | null = from; scope !== null; scope = scope.parent) {
    const value = ownProperty(scope.variables, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** All visible variables as one context, the inner ones over the outer ones. */
export function visibleContext(scope: LiveScope): Context {
  if (scope.parent === null) {
    scope.areVariablesOwned = false;
    return scope.variables;
  }
  return mergeContext(visibleContext(scope.parent), scope.variables);
}

export function assign(from: LiveScope, name: string, value: Value): void {
  const scope = scopeFor(from, name);
  if (!scope.areVariablesOwned) {
    scope.variables = { ...scope.variables, [name]: value };
    scope.areVariablesOwned = true;
    return;
  }
  // A plain `variables[name] = value` would set the prototype when the name is `__proto__`.
  Object.defineProperty(scope.variables, name, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

/** Every property of `values` as a variable of its own. */
export function assignAll(from: LiveScope, values: Context): void {
  for (const name of Object.keys(values)) assign(from, name, values[name] ?? null);
}

/**
 * Writes to a variable, or to a property inside it; missing contexts on the way are created.
 * @throws ElementFailure when something on the way is neither a context nor null.
 */
export function assignPath(from: LiveScope, path: readonly string[], value: Value): void {
  const [name, ...properties] = path;
  if (name === undefined) return;
  if (properties.length === 0) assign(from, name, value);
  else assign(from, name, withProperty(lookUp(from, name) ?? null, path, 1, value));
}

function withProperty(base: Value, path: readonly string[], depth: number, value: Value): Value {
  const key = path[depth];
  if (key === undefined) return value;
  if (base !== null && !isContext(base)) {
    const whole = path.join('.');
    const part = path.slice(0, depth).join('.');
    throw new ElementFailure(
      'SUTRA.CORE.ASSIGNMENT_TARGET_INVALID',
      `cannot assign to ${whole}: ${part} is not a context`,
    );
  }
  const context = base ?? {};
  // A computed key defines a property, whatever its name is.
  return { ...context, [key]: withProperty(ownProperty(context, key) ?? null, path, depth + 1, value) };
}

function scopeFor(from: LiveScope, name: string): LiveScope {
  let scope = from;
  while (scope.parent !== null && !Object.hasOwn(scope.variables, name)) scope = scope.parent;
  return scope;
}

/**
 * Reading and writing variables over the chain of scopes.
 *
 * V1 A name is looked up in the token's own scope first, then outwards as far as the process that runs there:
 *    a called process sees nothing of its caller.
 * V2 A write goes to the nearest scope that has the variable, else to the process's own: what a sub-process
 *    works out is there after it. A scope's own variables are those that it was created with. The frame of an
 *    activity with `q:local` keeps what no inner scope has.
 * V3 A context that was handed out is never written to: the first write after that copies it.
 */
import { isActivity } from '../../definitions/model.ts';
import { isContext, mergeContext, ownProperty, type Context, type Value } from '../../definitions/value.ts';
import { ElementFailure } from './element-failure.ts';
import type { LiveScope } from './live-state.ts';

export function lookUp(from: LiveScope, name: string): Value | undefined {
  for (let scope: LiveScope | null = from; scope !== null; scope = outerScope(scope)) {
    const value = ownProperty(scope.variables, name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Units for a property that is copied; one of many takes 1 µs. */
const PROPERTY_UNITS = 1;
const MANY_PROPERTIES = 64;
const PROPERTY_OF_MANY_UNITS = 40;

/** Writes down that a context is copied, so that the turn pays for it. */
export function countCopy({ writes }: Pick<LiveScope, 'writes'>, context: Context): void {
  const { length } = Object.keys(context);
  writes.copyUnits += length * (length < MANY_PROPERTIES ? PROPERTY_UNITS : PROPERTY_OF_MANY_UNITS);
}

/** All visible variables as one context, the inner ones over the outer ones. */
export function visibleContext(scope: LiveScope): Context {
  const outer = outerScope(scope);
  if (outer === null) return ownContext(scope);
  const merged = mergeContext(visibleContext(outer), scope.variables);
  countCopy(scope, merged);
  return merged;
}

/** The variables of the scope alone. */
export function ownContext(scope: LiveScope): Context {
  scope.areVariablesOwned = false;
  return scope.variables;
}

function outerScope(scope: LiveScope): LiveScope | null {
  return scope.kind === 'called' ? null : scope.parent;
}

export function assign(from: LiveScope, name: string, value: Value): void {
  define(scopeFor(from, name), name, value);
}

/** Writes a variable of this very scope, whether it has had it or not. */
export function define(scope: LiveScope, name: string, value: Value): void {
  scope.writes.count += 1;
  if (!scope.areVariablesOwned) {
    countCopy(scope, scope.variables);
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

/** Forgets variables of this very scope: those further out are visible again. */
export function forget(scope: LiveScope, names: readonly string[]): void {
  countCopy(scope, scope.variables);
  scope.variables = Object.fromEntries(
    Object.entries(scope.variables).filter(([name]) => !names.includes(name)),
  );
  scope.areVariablesOwned = true;
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
  const [name] = path;
  if (name !== undefined) definePath(scopeFor(from, name), path, value);
}

/** As `assignPath`, for a variable of this very scope. */
export function definePath(scope: LiveScope, path: readonly string[], value: Value): void {
  const [name, ...properties] = path;
  if (name === undefined) return;
  const base = ownProperty(scope.variables, name) ?? null;
  define(scope, name, properties.length === 0 ? value : withProperty(scope, base, path, 1, value));
}

function withProperty(
  scope: LiveScope,
  base: Value,
  path: readonly string[],
  depth: number,
  value: Value,
): Value {
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
  countCopy(scope, context);
  const inner = withProperty(scope, ownProperty(context, key) ?? null, path, depth + 1, value);
  // A computed key defines a property, whatever its name is.
  return { ...context, [key]: inner };
}

/** The frame of an activity that keeps what its work gives (`q:local`). */
function isClosed({ kind, graph, elementId }: LiveScope): boolean {
  if (kind !== 'frame') return false;
  const node = graph.node(elementId);
  return isActivity(node) && node.data.isClosed;
}

function scopeFor(from: LiveScope, name: string): LiveScope {
  let scope = from;
  for (let outer = outerScope(scope); outer !== null; outer = outerScope(scope)) {
    if (Object.hasOwn(scope.variables, name) || isClosed(scope)) break;
    scope = outer;
  }
  return scope;
}

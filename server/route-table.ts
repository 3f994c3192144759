/**
 * Which route a method and a path mean. Hot routes are found by one map look-up and one suffix look-up;
 * the others are Express's, and this table only knows which methods their paths take.
 */
import { InvariantError } from '../engine/core/invariant-error.ts';
import type { Route } from './route.ts';

export interface RouteMatch {
  readonly route: Route;
  /** Still percent-encoded. */
  readonly rawParams: Readonly<Record<string, string>>;
}

/** A hot path is exact, or `prefix{name}suffix`. */
interface HotPath {
  readonly methods: Map<string, Route>;
  readonly parameter: string | null;
}

interface Template {
  readonly pattern: RegExp;
  readonly route: Route;
}

const PARAMETER = /\{([A-Za-z]+)\}/g;
/** Everything of our own is below these; no channel is served there, whatever it is bound to. */
const RESERVED = /^\/(?:sutra|admin|metrics|openapi\.json)(?:\/|$)/;

export function isReservedPath(path: string): boolean {
  return RESERVED.test(path);
}

export class RouteTable {
  readonly routes: readonly Route[];
  readonly #exact = new Map<string, HotPath>();
  /** By prefix, then by suffix. Prefixes end in a slash, parameters hold none. */
  readonly #parametric = new Map<string, Map<string, HotPath>>();
  readonly #templates: readonly Template[];

  constructor(routes: readonly Route[]) {
    this.routes = routes;
    this.#templates = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
    for (const route of routes) {
      if (route.isHot) this.#hotPath(route).methods.set(route.method, route);
    }
  }

  /** Null: not a hot path for this method. */
  matchHot(method: string, path: string): RouteMatch | null {
    const exact = this.#exact.get(path)?.methods.get(method);
    if (exact !== undefined) return { route: exact, rawParams: {} };
    for (const [prefix, suffixes] of this.#parametric) {
      if (!path.startsWith(prefix)) continue;
      const end = path.indexOf('/', prefix.length);
      if (end <= prefix.length) continue;
      const hot = suffixes.get(path.slice(end));
      const route = hot?.methods.get(method);
      if (route === undefined || hot === undefined || hot.parameter === null) continue;
      return { route, rawParams: { [hot.parameter]: path.slice(prefix.length, end) } };
    }
    return null;
  }

  /** The methods that the path takes; empty when it is no route's. An exact hot path hides templates. */
  methodsOf(path: string): readonly string[] {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return [...exact.methods.keys()];
    const methods = this.#templates
      .filter((template) => template.pattern.test(path))
      .map((template) => template.route.method);
    return [...new Set(methods)];
  }

  #hotPath(route: Route): HotPath {
    const names = [...route.path.matchAll(PARAMETER)];
    const [first] = names;
    if (names.length > 1) throw new InvariantError(`hot path ${route.path} has more than one parameter`);
    if (first === undefined)
      return getOrAdd(this.#exact, route.path, () => ({ methods: new Map(), parameter: null }));
    const prefix = route.path.slice(0, first.index);
    const suffix = route.path.slice(first.index + first[0].length);
    const suffixes = getOrAdd(this.#parametric, prefix, () => new Map<string, HotPath>());
    return getOrAdd(suffixes, suffix, () => ({ methods: new Map(), parameter: first[1] ?? null }));
  }
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function patternOf(path: string): RegExp {
  const escaped = path.replace(/[.*+?^$()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${escaped.replace(PARAMETER, '[^/]+')}$`);
}

/** The same path in Express's notation. */
export function expressPath(path: string): string {
  return path.replace(PARAMETER, ':$1');
}

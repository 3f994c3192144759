/** Holds sources against the import rules: edges that are not allowed, and cycles of files. */
import { importRules } from './import-rules.ts';
import { importsOf } from './source-files.ts';
import type { Import, Sources } from './source-files.ts';

/** The longest zone that holds the path, or null for a file outside every zone. */
export function zoneOf(path: string): string | null {
  const zones = Object.keys(importRules).filter((zone) => isWithin(path, zone));
  return zones.sort((one, other) => other.length - one.length)[0] ?? null;
}

function isWithin(path: string, zone: string): boolean {
  return path === zone || path.startsWith(`${zone}/`);
}

/** One sentence for each import that the rules do not allow. */
export function findForbiddenImports(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    importsOf(path, text).flatMap((found) => {
      const fault = found.isOurs ? faultOfOwn(found) : faultOfPackage(found);
      return fault === null ? [] : [`${path} imports ${found.target}: ${fault}`];
    }),
  );
}

function faultOfOwn({ from, target }: Import): string | null {
  const zone = zoneOf(from);
  const targetZone = zoneOf(target);
  const rule = zone === null ? undefined : importRules[zone];
  const targetRule = targetZone === null ? undefined : importRules[targetZone];
  if (rule === undefined || targetRule === undefined) {
    return 'a file outside every zone of the table';
  }
  if (zone === targetZone) {
    return null;
  }
  if (targetRule.importedBy !== undefined && !targetRule.importedBy.includes(String(zone))) {
    return `${String(targetZone)} is imported only by ${targetRule.importedBy.join(', ')}`;
  }
  // The error class is everyone's, except the pure core's.
  const isErrors =
    target === 'config/engine-error.ts' && zone !== 'engine/core' && !from.startsWith('engine/observe');
  const isAllowed = isErrors
    ? rule.ours.length > 0
    : rule.ours.some((own) => own === '*' || isWithin(target, own));
  return isAllowed ? null : `${String(zone)} may not`;
}

function faultOfPackage({ from, target }: Import): string | null {
  const zone = zoneOf(from);
  const packages = zone === null ? [] : (importRules[zone]?.packages ?? []);
  const isAllowed = packages.some(
    (name) =>
      name === '*' ||
      target === name ||
      target.startsWith(`${name}/`) ||
      (name === 'node:' && target.startsWith('node:')),
  );
  return isAllowed ? null : `${String(zone)} may not use this package`;
}

/** Each cycle once, as `a -> b -> a`. Type imports count. */
export function findCycles(sources: Sources): string[] {
  const edges = new Map(
    [...sources].map(([path, text]) => [
      path,
      importsOf(path, text).flatMap(({ isOurs, target }) => (isOurs && sources.has(target) ? [target] : [])),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const walk = (path: string): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      cycles.push([...trail.slice(at), path].join(' -> '));
    } else if (!done.has(path)) {
      trail.push(path);
      for (const target of edges.get(path) ?? []) {
        walk(target);
      }
      trail.pop();
      done.add(path);
    }
  };
  for (const path of edges.keys()) {
    walk(path);
  }
  return cycles;
}

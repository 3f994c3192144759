/** Where steps are built, what building one gives, and how paths come together. */
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { XmlElement } from '../../xml/document.ts';
import type { Written } from '../../written.ts';
import { made, type BuildContext } from './context.ts';
import type { NodeParts, Path, ScopeDraft } from './scope.ts';
import type { Audit, Step, Steps, Verb } from '../flow.ts';

export interface Outcome {
  /** What leads to the next step; null: every path has ended. */
  readonly open: Path | null;
  /** Whether a token can end on its way to `open`, so that a join must not count on it. */
  readonly mayEnd: boolean;
}

export interface Site {
  readonly context: BuildContext;
  readonly scope: ScopeDraft;
  /** Builds steps into the scope, the first behind `from`. */
  readonly steps: (steps: Steps, from: Path) => Outcome;
  /** For the inside of a sub-process. */
  readonly inner: () => Site;
}

export type StepOf<V extends Verb> = Extract<Step, { readonly verb: V }>;
export type StepBuilder<V extends Verb> = (site: Site, step: StepOf<V>, from: Path) => Outcome;

/** What the author can find: a step, or a part of one that has an id. */
export interface Owner {
  readonly id: Written;
  readonly name: Written | null;
  readonly place: PlaceSource;
  readonly audit?: Audit;
}

export type NodeExtras = Pick<NodeParts, 'attributes' | 'extensions' | 'children'>;

/** The flow node that a step is. */
export function nodeOf({ id, name, place, audit }: Owner, kind: string, extras: NodeExtras = {}): NodeParts {
  return { kind, id, name, place, ...(audit === undefined ? {} : { audit }), ...extras };
}

/** A flow node that belongs to a step; `what` is it, as `the join`. */
export function addedNode(
  { context }: Site,
  { id, place }: Owner,
  kind: string,
  [suffix, what]: readonly [suffix: string, what: string],
  extras: NodeExtras = {},
): NodeParts {
  return { kind, id: made(place, context.ids.of(id, suffix, what)), name: null, place, ...extras };
}

/** A step that does one thing and goes on. */
export function through(site: Site, node: NodeParts, from: Path): Outcome {
  return { open: site.scope.add(node, [from]), mayEnd: false };
}

/** Brings paths together behind a step. Where there is only one nothing is to be joined. */
export function joined(site: Site, owner: Owner, kind: string, outcomes: readonly Outcome[]): Path | null {
  const paths = outcomes.flatMap(({ open }) => open ?? []);
  const [first = null, second] = paths;
  return second === undefined
    ? first
    : site.scope.add(addedNode(site, owner, kind, ['-join', 'the join']), paths);
}

/** The inside of a sub-process of the steps of `owner`; `prefix` begins the ids of its start and end. */
export function insideOf(site: Site, owner: Owner, steps: Steps, prefix = ''): readonly XmlElement[] {
  const inner = site.inner();
  const start = addedNode(inner, owner, 'startEvent', [`${prefix}-start`, 'the start']);
  const { open } = inner.steps(steps, inner.scope.add(start, []));
  if (open !== null) {
    inner.scope.add(addedNode(inner, owner, 'endEvent', [`${prefix}-end`, 'the end']), [open]);
  }
  return inner.scope.elements();
}

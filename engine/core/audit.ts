/**
 * What the history may know of data: payloads of audited elements (`q:audit`), never what is sensitive.
 *
 * A1 Names decide (definitions/sensitive-names.ts): a property of a sensitive name is withheld wherever it is, and a
 *    payload as a whole when it goes to a sensitive variable or comes from an expression that mentions one. In a called
 *    process the names of its callers count too.
 * A2 Values decide as well: what stands under a sensitive name, in the payload or in a variable that can be seen
 *    from the element, is not shown under another name.
 * A3 In doubt the payload is withheld as a whole, and the history says because of which variable.
 * A4 An element that is not audited pays nothing; the turn pays for one that is.
 */
import { ANYTHING, mentionsOf } from '../../definitions/sensitive-names.ts';
import type { CompiledExpression } from '../../definitions/feel.ts';
import { isFeelNumber } from '../../definitions/feel/number.ts';
import type { FlowNode, ParamDefinition, ServiceTask, SourceDefinition } from '../../definitions/model.ts';
import { isContext, Temporal, type Context, type Value } from '../../definitions/value.ts';
import { sourceOf } from './correlation.ts';
import type { HistoryEffect } from './effect.ts';
import type { LiveScope } from './live-state.ts';
import type { Step } from './step.ts';
import type { DedupKey, InboundMessage } from './stimulus.ts';
import { sizeOf } from './value-size.ts';

/** Shorter ones are in every other text: they give nothing away. A guess. */
const MIN_SECRET_CHARACTERS = 4;
/** Guesses, far above what is audited: beyond these it is not looked for values, and withheld. */
const MAX_SECRETS = 100;
const MAX_SEARCHED_SIZE = 1024 * 1024;
/** Of what is looked through, by value-size.ts, for one unit of the turn's budget: as for what is sent. */
const SIZE_PER_UNIT = 4;

/** A message, or the answer of a call, that has come to the node. */
export function auditMessage(
  step: Step,
  scope: LiveScope,
  node: FlowNode,
  { payload }: InboundMessage,
  trigger: number | undefined,
): Value | undefined {
  if (node.isAudited !== true) return undefined;
  return shown(step, scope, payload, (names) => receiverIn(names, node, sourceOf(node, trigger), payload));
}

/** The body of a message that leaves the node; `body`: what it was worked out by, null: all visible variables. */
export function auditSend(
  step: Step,
  scope: LiveScope,
  node: FlowNode,
  value: Value,
  body: CompiledExpression | null,
): Value | undefined {
  if (node.isAudited !== true) return undefined;
  return shown(step, scope, value, (names) => (body === null ? null : mentionedIn(names, body)));
}

/** The request of a call: each parameter is judged by itself; without any it is all visible variables. */
export function auditRequest(
  step: Step,
  scope: LiveScope,
  node: FlowNode,
  value: Context,
  params: readonly ParamDefinition[],
): Value | undefined {
  if (node.isAudited !== true) return undefined;
  const names = sensitiveIn(scope);
  const judged = params.flatMap(({ name, expression }) => {
    const mentioned = mentionedIn(names, expression);
    return mentioned === null ? [] : [[name, withheld(mentioned)] as const];
  });
  return shown(step, scope, { ...value, ...Object.fromEntries(judged) }, () => null);
}

/** Variables that somebody has written from outside. */
export function auditVariables(
  step: Step,
  scope: LiveScope,
  { isAudited }: { readonly isAudited?: true },
  variables: Context,
): Value | undefined {
  return isAudited === true ? shown(step, scope, variables, () => null) : undefined;
}

/**
 * What somebody outside has said, as it may be shown: it is no payload. Null: not at all.
 * @param variable that it goes to, or null
 */
export function auditText(
  step: Step,
  scope: LiveScope,
  text: string,
  variable: string | null,
): string | null {
  const value = shown(step, scope, text, (names) =>
    variable !== null && names.has(variable) ? variable : null,
  );
  return typeof value === 'string' ? value : null;
}

/** By which key a message was recorded, and which CloudEvent it was. Nothing audited: these are no payload. */
export function messageFacts(
  scope: LiveScope,
  node: FlowNode,
  { dedupKey, event, payload }: InboundMessage,
  trigger: number | undefined,
): HistoryEffect['detail'] {
  const { id } = event;
  return {
    ...(dedupKey === undefined ? {} : keyFacts(scope, dedupKey, payload, sourceOf(node, trigger))),
    ...(typeof id === 'string' ? { eventId: id } : {}),
  };
}

function keyFacts(
  scope: LiveScope,
  key: DedupKey | null,
  payload: Value,
  source: SourceDefinition | null,
): HistoryEffect['detail'] {
  if (key === null || !keyWithheld(scope, key, payload, source)) return { dedupKey: key?.text ?? null };
  return { dedupKey: null, isDedupKeyWithheld: true };
}

/** Also a key that only contains what stands under a sensitive name, however short that is. */
function keyWithheld(
  scope: LiveScope,
  { text, expression }: DedupKey,
  payload: Value,
  source: SourceDefinition | null,
): boolean {
  if (expression === null) return false;
  const names = sensitiveIn(scope);
  if (mentionedIn(names, expression) !== null || names.has(source?.variable ?? '')) return true;
  const secrets = new Secrets(1);
  secrets.collectNamed(payload, names);
  return secrets.isTooMany || secrets.find(text) !== null;
}

/** The variable that the payload goes to as a whole, if it is sensitive. */
function receiverIn(
  names: ReadonlySet<string>,
  node: FlowNode,
  source: SourceDefinition | null,
  payload: Value,
): string | null {
  const isCall = node.kind === 'serviceTask' || node.kind === 'businessRuleTask';
  const variable = isCall
    ? answerVariable(node, payload)
    : source?.mergesPayload === false
      ? source.variable
      : null;
  return variable !== null && names.has(variable) ? variable : null;
}

/** As `takeAnswer`; null: the answer becomes variables, property by property. */
function answerVariable({ outputVariable, responseSource }: ServiceTask, payload: Value): string | null {
  if (outputVariable !== null || isContext(payload)) return outputVariable;
  return responseSource?.variable ?? 'payload';
}

function mentionedIn(names: ReadonlySet<string>, expression: CompiledExpression): string | null {
  if (names.size === 0) return null;
  const [first = ''] = names;
  // Things that are no variables have a colon in their names.
  for (const name of mentionsOf(expression)) if (names.has(name)) return name.includes(':') ? first : name;
  return null;
}

/** Of the process that runs in the scope and of all that led to it. */
function sensitiveIn(from: LiveScope): ReadonlySet<string> {
  let all: ReadonlySet<string> = NOTHING;
  for (let scope: LiveScope | null = from; scope !== null; scope = scope.parent) {
    const own = scope.graph.process.sensitiveNames;
    if (own !== undefined && own !== all) all = all.size === 0 ? own : new Set([...all, ...own]);
  }
  return all;
}

const NOTHING: ReadonlySet<string> = new Set();

function withheld(variable: string): Context {
  return { withheld: variable };
}

/** @param reasonIn the variable because of which nothing of it is shown, or null */
function shown(
  step: Step,
  scope: LiveScope,
  value: Value,
  reasonIn: (names: ReadonlySet<string>) => string | null,
): Value {
  const names = sensitiveIn(scope);
  if (names.size === 0) return value;
  const [first = ''] = names;
  const reason = names.has(ANYTHING) ? first : reasonIn(names);
  if (reason !== null) return withheld(reason);
  const secrets = secretsIn(step, scope, names, value);
  if (secrets === null) return withheld(first);
  const rest = withoutNames(value, names);
  const found = secrets.find(rest);
  return found === null ? rest : withheld(found);
}

/** Null: there is too much to look through. The turn pays for looking. */
function secretsIn(step: Step, from: LiveScope, names: ReadonlySet<string>, payload: Value): Secrets | null {
  const secrets = new Secrets(MIN_SECRET_CHARACTERS);
  secrets.collectNamed(payload, names);
  let size = sizeOf(payload);
  for (let scope: LiveScope | null = from; scope !== null; scope = scope.parent) {
    size += sizeOf(scope.variables);
    if (size > MAX_SEARCHED_SIZE) break;
    secrets.collectNamed(scope.variables, names);
  }
  step.budget.spend(Math.ceil(Math.min(size, MAX_SEARCHED_SIZE) / SIZE_PER_UNIT));
  return size > MAX_SEARCHED_SIZE || secrets.isTooMany ? null : secrets;
}

function withoutNames(value: Value, names: ReadonlySet<string>): Value {
  if (Array.isArray(value)) return (value as readonly Value[]).map((item) => withoutNames(item, names));
  if (!isContext(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      names.has(key) ? withheld(key) : withoutNames(inner, names),
    ]),
  );
}

/** The texts of what stands under sensitive names, to the name. */
class Secrets {
  readonly #texts = new Map<string, string>();
  readonly #minCharacters: number;

  constructor(minCharacters: number) {
    this.#minCharacters = minCharacters;
  }

  /** Not all of them were collected. */
  get isTooMany(): boolean {
    return this.#texts.size > MAX_SECRETS;
  }

  collectNamed(value: Value, names: ReadonlySet<string>): void {
    if (names.size === 0) return;
    if (Array.isArray(value)) {
      for (const item of value as readonly Value[]) this.collectNamed(item, names);
    } else if (isContext(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (names.has(key)) this.#collect(inner, key);
        else this.collectNamed(inner, names);
      }
    }
  }

  #collect(value: Value, name: string): void {
    if (this.isTooMany) return;
    if (Array.isArray(value)) {
      for (const item of value as readonly Value[]) this.#collect(item, name);
    } else if (isContext(value)) {
      for (const inner of Object.values(value)) this.#collect(inner, name);
    } else {
      const text = textOf(value);
      if (text !== null && text.length >= this.#minCharacters) this.#texts.set(text, name);
    }
  }

  /** The name of one that the value holds somewhere, also as a key or inside a text; null: none. */
  find(value: Value): string | null {
    if (this.#texts.size === 0) return null;
    if (Array.isArray(value)) return this.#findFirst(value as readonly Value[]);
    if (isContext(value)) return this.#findFirst([...Object.keys(value), ...Object.values(value)]);
    const text = textOf(value);
    if (text === null) return null;
    for (const [secret, name] of this.#texts) if (text.includes(secret)) return name;
    return null;
  }

  #findFirst(values: readonly Value[]): string | null {
    for (const value of values) {
      const found = this.find(value);
      if (found !== null) return found;
    }
    return null;
  }
}

/** Of a leaf, whatever its case; null: it says nothing that could be told apart. */
function textOf(value: Value): string | null {
  if (typeof value === 'string') return value.toLowerCase();
  if (value instanceof Temporal) return value.text.toLowerCase();
  return isFeelNumber(value) ? String(value) : null;
}

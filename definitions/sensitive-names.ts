/**
 * Which names of a package's data are sensitive: the variables that are declared so, and whatever something writes from
 * one of them.
 *
 * N1 In doubt a name is sensitive: what an expression mentions in any way counts as read, and it is not asked where in
 *    the package which variable of a name is visible.
 * N2 Told by names alone. What a peer puts into an answer under a name of its own is not known here.
 * N3 What makes a text or a list of whatever a value holds, `string(order)`, is sensitive: it may hold anything, and its
 *    names are gone.
 * N4 `ANYTHING` is among them when something makes variables from a sensitive one under names that nobody can tell.
 */
import { argumentValues, childExpressions, type Expression } from './feel/ast.ts';
import type { CompiledExpression } from './feel.ts';
import {
  isActivity,
  messageTriggersOf,
  type Activity,
  type CatchDefinition,
  type DataMapping,
  type FlowNode,
  type HeaderDefinition,
  type MessageTrigger,
  type ParamDefinition,
  type ProcessDefinition,
  type SendDefinition,
  type ServiceTask,
  type ThrowDefinition,
  type VariableDeclaration,
} from './model.ts';

/** No variable has this name. */
export const ANYTHING = '*';

/** What N3 is about, as if it was a variable that is declared sensitive. */
const DISSOLVED = 'any:text';

/** The processes with the names; as they are, when nothing is sensitive. */
export function withSensitiveNames(
  processes: ReadonlyMap<string, ProcessDefinition>,
): ReadonlyMap<string, ProcessDefinition> {
  const all = [...processes.values()];
  const declared = all.flatMap(declaredIn).filter(({ isSensitive }) => isSensitive);
  if (declared.length === 0) return processes;
  const sensitiveNames = spread([...declared.map(({ name }) => name), DISSOLVED], all.flatMap(writesOf));
  return new Map(
    [...processes].map(([id, process]) => [id, Object.freeze({ ...process, sensitiveNames })] as const),
  );
}

function declaredIn({ variables, nodes }: ProcessDefinition): readonly VariableDeclaration[] {
  const inside = [...nodes.values()].flatMap((node) =>
    node.kind === 'subProcess' ? [...node.variables.values()] : [],
  );
  return [...variables.values(), ...inside];
}

const mentionedNames = new WeakMap<CompiledExpression, ReadonlySet<string>>();

/** Every name, property and text in the expression: whatever it can read by name, and more. */
export function mentionsOf(expression: CompiledExpression): ReadonlySet<string> {
  const known = mentionedNames.get(expression);
  if (known !== undefined) return known;
  const names = new Set<string>();
  visit(expression.tree, (node) => {
    if (node.kind === 'name') names.add(node.name);
    else if (node.kind === 'path') names.add(node.property.name);
    else if (node.kind === 'string') names.add(node.value);
    else if (node.kind === 'invocation' && dissolves(node)) names.add(DISSOLVED);
  });
  mentionedNames.set(expression, names);
  return names;
}

/** Functions in whose result what was inside a context has no names any more. */
const DISSOLVING: ReadonlySet<string> = new Set(['string', 'get entries', 'get value']);
/** Of these `string` makes a text that holds nothing else. */
const SCALARS: ReadonlySet<Expression['kind']> = new Set([
  ...(['number', 'string', 'boolean', 'null', 'at', 'arithmetic', 'negation', 'comparison'] as const),
  ...(['between', 'in', 'conjunction', 'disjunction', 'instance-of'] as const),
]);
const SCALAR_FUNCTIONS: ReadonlySet<string> = new Set([
  ...['now', 'today', 'date', 'time', 'date and time', 'duration', 'number', 'count', 'sum'],
]);

function dissolves({ callee, arguments: given }: Extract<Expression, { kind: 'invocation' }>): boolean {
  if (callee.kind !== 'name' || !DISSOLVING.has(callee.name)) return false;
  const [from, key] = argumentValues(given);
  if (callee.name === 'get value') return key?.kind !== 'string';
  return callee.name === 'get entries' || from === undefined || !isScalar(from);
}

function isScalar(node: Expression): boolean {
  if (node.kind !== 'invocation') return SCALARS.has(node.kind);
  return node.callee.kind === 'name' && SCALAR_FUNCTIONS.has(node.callee.name);
}

function visit(node: Expression, look: (node: Expression) => void): void {
  look(node);
  for (const child of childExpressions(node)) visit(child, look);
}

/** What becomes sensitive when one of `reads` is. Things that are no variables have a colon in their names. */
interface Write {
  readonly reads: Iterable<string>;
  readonly names: readonly string[];
}

function spread(declared: readonly string[], writes: readonly Write[]): ReadonlySet<string> {
  const sensitive = new Set(declared);
  const byRead = new Map<string, Write[]>();
  for (const write of writes) {
    for (const name of write.reads) {
      const readers = byRead.get(name);
      if (readers === undefined) byRead.set(name, [write]);
      else readers.push(write);
    }
  }
  // A set's iterator also comes to what is added meanwhile.
  for (const name of sensitive) {
    for (const { names } of byRead.get(name) ?? []) names.forEach((written) => sensitive.add(written));
  }
  return sensitive;
}

function writesOf({ nodes }: ProcessDefinition): readonly Write[] {
  return [...nodes.values()].flatMap((node) => [
    ...messageTriggersOf(node).flatMap(writesOfMessage),
    ...('triggers' in node ? node.triggers.flatMap(writesOfCatch) : []),
    ...('outputs' in node ? node.outputs.map(writeOfMapping) : []),
    ...('results' in node && !isActivity(node) ? node.results.flatMap(writesOfThrow) : []),
    ...(isActivity(node) ? writesOfActivity(node) : []),
    ...writesOfWork(node),
  ]);
}

/** Of sends whose channel an expression tells. */
const ANY_CHANNEL = '*';

/** What goes by the name as a whole. */
function whole(kind: 'channel' | 'signal', name: string): string {
  return `${kind}:${name}`;
}

/** And what may be a context of any names. */
function opaque(kind: 'channel' | 'signal', name: string): string {
  return `any:${kind}:${name}`;
}

function writesOfMessage({ source }: MessageTrigger): readonly Write[] {
  const { variable, mergesPayload } = source;
  return [source.channel, ANY_CHANNEL].flatMap((channel) =>
    mergesPayload
      ? [write([opaque('channel', channel)], [ANYTHING])]
      : [
          write([whole('channel', channel)], [variable]),
          // Where the message has come, `payload` stands for it too.
          write([variable], ['payload']),
        ],
  );
}

function write(reads: Iterable<string>, names: readonly string[]): Write {
  return { reads, names };
}

function writesOfCatch(trigger: CatchDefinition): readonly Write[] {
  if (trigger.kind !== 'signal') return [];
  const { name, variable } = trigger;
  return variable === null
    ? [write([opaque('signal', name)], [ANYTHING])]
    : [write([whole('signal', name)], [variable])];
}

function writesOfThrow(thrown: ThrowDefinition): readonly Write[] {
  if (thrown.kind === 'message') return writesOfSend(thrown.send);
  if (thrown.kind !== 'signal' || thrown.body === null) return [];
  return [writeOfBody(thrown.body, 'signal', thrown.name)];
}

function writeOfBody(body: CompiledExpression, kind: 'channel' | 'signal', name: string): Write {
  const inside = body.tree.kind === 'context' ? keysIn(body) : [opaque(kind, name)];
  return write(mentionsOf(body), [whole(kind, name), ...inside]);
}

/** Without a body it is the variables under their names. */
function writesOfSend({ channel, body, headers }: SendDefinition): readonly Write[] {
  const sent = body === null ? [] : [writeOfBody(body, 'channel', channel ?? ANY_CHANNEL)];
  return [...sent, ...writesOfHeaders(headers)];
}

function writesOfHeaders(headers: readonly HeaderDefinition[]): readonly Write[] {
  return headers.map(({ value }) => write(mentionsOf(value), ['header']));
}

function writesOfParams(params: readonly ParamDefinition[]): readonly Write[] {
  return params.map(({ name, expression }) => write(mentionsOf(expression), [name]));
}

/** The keys of the contexts that the expression spells out: they may become variables. */
function keysIn(expression: CompiledExpression): readonly string[] {
  const keys: string[] = [];
  visit(expression.tree, (node) => {
    if (node.kind === 'context') keys.push(...node.entries.map(({ key }) => key.name));
  });
  return keys;
}

/** Data associations and loops. */
function writesOfActivity({ data, loop }: Activity): readonly Write[] {
  const mappings = [...data.inputs, ...data.outputs].map(writeOfMapping);
  if (loop?.kind !== 'multiInstance') return mappings;
  const { collection, itemVariable, outputItemVariable, outputCollection } = loop;
  const item =
    collection === null || itemVariable === null ? [] : [write(mentionsOf(collection), [itemVariable])];
  const output =
    outputItemVariable === null || outputCollection === null
      ? []
      : [write([outputItemVariable], [outputCollection])];
  return [...mappings, ...item, ...output];
}

/** Of a path only its end: what is further out holds it under that name. */
function writeOfMapping({ from, to }: DataMapping): Write {
  const reads = from.kind === 'expression' ? mentionsOf(from.expression) : storeNames(from.store);
  return write(reads, to.kind === 'variable' ? to.path.slice(-1) : storeNames(to.store));
}

function storeNames({ store, field }: { readonly store: string; readonly field: string | null }): string[] {
  return field === null ? [`store:${store}`] : [`store:${store}`, field];
}

function writesOfWork(node: FlowNode): readonly Write[] {
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      return [...writesOfParams(node.params), ...writesOfHeaders(node.headers), ...writesOfDecision(node)];
    case 'sendTask':
      return writesOfSend(node.send);
    case 'scriptTask':
      return [write(mentionsOf(node.script), resultNames(node.script, node.outputVariable))];
    case 'callActivity':
      return [
        ...writesOfParams(node.params ?? []),
        ...(node.results ?? []).flatMap(({ variable, expression }) =>
          expression === null ? [] : [write(mentionsOf(expression), [variable])],
        ),
      ];
    default:
      return [];
  }
}

/** Only a context that is spelled out tells the names of the variables that it becomes. */
function resultNames(script: CompiledExpression, variable: string | null): readonly string[] {
  if (variable !== null) return [variable];
  return script.tree.kind === 'context' ? keysIn(script) : [ANYTHING];
}

function writesOfDecision({ implementation, params, outputVariable }: ServiceTask): readonly Write[] {
  if (implementation.kind !== 'decision') return [];
  const given = params.flatMap(({ expression }) => [...mentionsOf(expression)]);
  const needed = implementation.decision.inputs.map(({ name }) => name);
  return [write([...given, ...needed], [outputVariable ?? ANYTHING])];
}

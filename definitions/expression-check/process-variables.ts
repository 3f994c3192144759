/**
 * Which variables a process can have, and what they can be: by what writes them (docs/packages.md, Variables and scopes).
 *
 * V1 `isComplete`: nothing in the process can make a variable of another name. What an operator writes does not count.
 * V2 Where others can be made, those that are known may be written as well, so nothing is known of their types.
 * V3 Where in the process a variable is visible is not looked at.
 */
import { checkExpression } from '../feel/check/check-expression.ts';
import {
  anyType,
  kindsOf,
  simple,
  staticTypeOf,
  unionOf,
  type StaticType,
} from '../feel/check/static-type.ts';
import {
  isActivity,
  messageTriggersOf,
  startPointsOf,
  type Activity,
  type CatchDefinition,
  type FlowNode,
  type ProcessDefinition,
  type ScriptTask,
  type ServiceTask,
} from '../model.ts';
import type { PayloadTypes } from './payload-types.ts';

export interface ProcessVariables {
  readonly types: ReadonlyMap<string, StaticType>;
  readonly isComplete: boolean;
}

export function variablesOf(process: ProcessDefinition, payloads: PayloadTypes): ProcessVariables {
  const writers = new Writers();
  for (const name of process.variables.keys()) writers.declare(name);
  // Whoever starts it by its id, or calls it, gives it what they like.
  if (process.start.length > 0) writers.open();
  if (startPointsOf(process).some(({ event }) => event.kind === 'conditional')) writers.open();
  const nodes = [...process.nodes.values()];
  // Who reports a BPMN error sends variables along; where nothing catches it, nothing reads them.
  const catchesErrors = nodes.some(
    (node) => 'triggers' in node && node.triggers.some(({ kind }) => kind === 'error'),
  );
  for (const node of nodes) collect(node, writers, payloads, catchesErrors);
  // Where a message has come these stand for it, whatever variables there are.
  if (nodes.flatMap(messageTriggersOf).some(({ source }) => source.variable !== 'payload')) {
    writers.widen('payload');
  }
  for (const name of ['header', 'event']) writers.widen(name);
  return writers.variables;
}

/** What is written so far. */
class Writers {
  readonly #types = new Map<string, StaticType[]>();
  #isOpen = false;

  get variables(): ProcessVariables {
    const isComplete = !this.#isOpen;
    const types = [...this.#types].map(
      ([name, written]) => [name, isComplete ? unionOf(written) : anyType] as const,
    );
    return { types: new Map(types), isComplete };
  }

  /** Variables of any name are written. */
  open(): void {
    this.#isOpen = true;
  }

  /** It is there, and null until it is written. */
  declare(name: string): void {
    if (!this.#types.has(name)) this.#types.set(name, []);
  }

  /** It may also stand for something else. */
  widen(name: string): void {
    if (this.#types.has(name)) this.write(name);
  }

  write(name: string, type: StaticType = anyType): void {
    const written = this.#types.get(name);
    if (written === undefined) this.#types.set(name, [type]);
    else written.push(type);
  }
}

function collect(node: FlowNode, writers: Writers, payloads: PayloadTypes, catchesErrors: boolean): void {
  if (node.kind !== 'serviceTask' && node.kind !== 'businessRuleTask') {
    for (const { source } of messageTriggersOf(node)) {
      writers.write(source.variable, payloads.ofSource(source));
      // The properties of the payload become variables, whatever they are.
      if (source.mergesPayload) writers.open();
    }
  }
  if ('triggers' in node) node.triggers.forEach((trigger) => collectTrigger(trigger, writers));
  if (isActivity(node)) collectActivity(node, writers);
  switch (node.kind) {
    case 'serviceTask':
    case 'businessRuleTask':
      collectService(node, writers, catchesErrors);
      return;
    case 'scriptTask':
      collectScript(node, writers);
      return;
    case 'userTask':
      // A person, or a form, gives what they like.
      writers.open();
      return;
    case 'subProcess':
      for (const name of node.variables.keys()) writers.declare(name);
      if (node.variant.kind === 'adHoc') writers.open();
      return;
    case 'callActivity':
      if (node.results === null) writers.open();
      for (const { variable } of node.results ?? []) writers.write(variable);
      return;
    default:
  }
}

function collectTrigger(trigger: CatchDefinition, writers: Writers): void {
  switch (trigger.kind) {
    case 'signal':
      if (trigger.variable === null) writers.open();
      else writers.write(trigger.variable);
      return;
    case 'error':
      for (const name of [trigger.codeVariable, trigger.messageVariable]) {
        if (name !== null) writers.write(name, simple('string'));
      }
      return;
    case 'escalation':
      if (trigger.codeVariable !== null) writers.write(trigger.codeVariable, simple('string'));
      return;
    default:
  }
}

/** What loops and data associations write. */
function collectActivity({ loop, data }: Activity, writers: Writers): void {
  if (loop !== null) writers.write('loopCounter', simple('number'));
  if (loop?.kind === 'multiInstance') {
    for (const name of [loop.itemVariable, loop.outputItemVariable, loop.outputCollection]) {
      if (name !== null) writers.write(name);
    }
  }
  data.locals.forEach((name) => writers.declare(name));
  for (const { to } of [...data.inputs, ...data.outputs]) {
    if (to.kind === 'variable') to.path.slice(0, 1).forEach((name) => writers.write(name));
  }
}

/** An answer may come on the channel of the call or on another, as a worker or a peer likes it. */
function collectService(
  { implementation, outputVariable, responseSource }: ServiceTask,
  writers: Writers,
  catchesErrors: boolean,
): void {
  if (implementation.kind === 'data') return;
  const isDecision = implementation.kind === 'decision';
  if (outputVariable === null) writers.open();
  else if (isDecision) writers.write(outputVariable, staticTypeOf(implementation.decision.resultType));
  else writers.write(outputVariable);
  if (responseSource !== null) writers.write(responseSource.variable);
  if (!isDecision && catchesErrors) writers.open();
}

/** Without a variable for it the entries of a context become variables, and nothing else does. */
function collectScript({ script, outputVariable }: ScriptTask, writers: Writers): void {
  const { type } = checkExpression(script.tree, { names: new Map(), unknownNames: 'nothing' });
  if (outputVariable !== null) {
    writers.write(outputVariable, type);
  } else if (type.kind === 'context' && type.others === 'impossible') {
    for (const [name, entry] of type.entries) writers.write(name, entry);
  } else if (kindsOf(type)?.includes('context') ?? true) {
    writers.open();
  }
}

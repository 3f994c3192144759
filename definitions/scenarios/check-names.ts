/** Holds a scenario against the package: what it does not have, or what a channel is not, cannot happen in it. */
import type { Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { nearestName } from '../nearest-name.ts';
import type { ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import type { ScenarioCode } from './codes.ts';
import type { Answer, Expected, InstanceExpectations, Scenario, ScenarioStep } from './scenario.ts';

type Refuse = (code: ScenarioCode, message: string, place: Place) => void;

/** Of tasks that a function of the embedding program does. */
export const REGISTERED = 'registered:';

/** The failure of an instance in which nothing catches a BPMN error. */
const UNCAUGHT = 'SUTRA.BPMN_ERROR.UNCAUGHT';

export function checkNames(scenario: Scenario, model: PackageModel, refuse: Refuse): void {
  const names = new Names(model, refuse);
  for (const step of scenario.steps) checkStep(step, names);
  for (const [channel, { answers, place }] of scenario.answers) {
    names.answered(channel, place);
    for (const answer of answers) checkAnswer(answer, kindOf(channel, model), refuse);
  }
  checkBpmnErrors(scenario, names);
  const { expect } = scenario;
  checkInstance(expect, expect.process, names);
  for (const other of expect.others) checkInstance(other, other.process, names);
  for (const { channel, place } of expect.sent) names.sentOn(channel, place);
  for (const { value, place } of expect.notSent) names.sentOn(value, place);
}

/** Who answers on a channel. */
type Answerer = 'an HTTP peer' | 'a worker' | 'a function';

function kindOf(channel: string, model: PackageModel): Answerer {
  if (channel.startsWith(REGISTERED)) return 'a function';
  return model.channels.get(channel)?.transport === 'http' ? 'an HTTP peer' : 'a worker';
}

function checkAnswer({ outcome, place }: Answer, answerer: Answerer, refuse: Refuse): void {
  const only = (key: string, value: unknown, ...those: readonly Answerer[]): void => {
    if (value === null || those.includes(answerer)) return;
    const code: ScenarioCode = 'SUTRA.SCENARIO.KEY_CONFLICT';
    refuse(
      code,
      `${key} means nothing here: ${answerer} answers, and it is for ${those.join(' or ')}`,
      place,
    );
  };
  if (outcome.kind === 'result') only('status', outcome.status, 'an HTTP peer');
  if (outcome.kind === 'bpmn-error') only('bpmn-error', outcome.code, 'a worker', 'a function');
  if (outcome.kind !== 'failure') return;
  only('code', outcome.code, 'a function');
  only('retries', outcome.retries, 'a worker', 'a function');
  only('retry-after', outcome.retryAfter, 'a worker', 'a function');
}

/**
 * A code that no event catches fails the instance: it is taken for a slip of the pen unless the scenario expects an
 * instance to fail so.
 */
function checkBpmnErrors({ answers, expect }: Scenario, names: Names): void {
  if ([expect, ...expect.others].some(({ failure }) => failure?.value === UNCAUGHT)) return;
  for (const { outcome } of [...answers.values()].flatMap((listed) => listed.answers)) {
    if (outcome.kind === 'bpmn-error') names.caughtError(outcome.code, outcome.codePlace);
  }
}

function checkStep(step: ScenarioStep, names: Names): void {
  switch (step.kind) {
    case 'send':
      names.channel(step.channel, step.place);
      return;
    case 'start':
      names.process(step.process, step.place);
      return;
    case 'complete':
      names.element(step.element, step.place);
      return;
    case 'signal':
    case 'after':
      return;
  }
}

function checkInstance(
  { path, notPassed, waitingAt }: InstanceExpectations,
  process: Expected<string> | null,
  names: Names,
): void {
  if (process !== null) names.process(process.value, process.place);
  for (const { value, place } of [...(path ?? []), ...notPassed, ...(waitingAt ?? [])]) {
    names.element(value, place);
  }
}

class Names {
  readonly #model: PackageModel;
  readonly #refuse: Refuse;
  readonly #registered: readonly string[];

  constructor(model: PackageModel, refuse: Refuse) {
    this.#model = model;
    this.#refuse = refuse;
    this.#registered = registeredNamesOf(model).map((name) => `${REGISTERED}${name}`);
  }

  channel(name: string, place: Place): void {
    this.#known('channel', name, [...this.#model.channels.keys()], place);
  }

  sentOn(name: string, place: Place): void {
    this.#known('channel', name, [...this.#model.channels.keys(), ...this.#registered], place);
  }

  /** Only what is pulled or dialled can be answered. */
  answered(name: string, place: Place): void {
    const channels = [...this.#model.channels.values()].filter(
      ({ transport, direction }) => transport === 'pull' || (transport === 'http' && direction !== 'inbound'),
    );
    const answerable = [...channels.map((channel) => channel.name), ...this.#registered];
    this.#known('pull channel or outbound HTTP channel', name, answerable, place);
  }

  process(id: string, place: Place): void {
    this.#known('process', id, [...this.#model.processes.keys()], place);
  }

  /** What an instance passes may be in a process that its own calls. */
  element(id: string, place: Place): void {
    const ids = [...this.#model.processes.values()].flatMap(({ nodes }) => [...nodes.keys()]);
    this.#known('element', id, ids, place);
  }

  /** An event that catches every error catches one of any code. */
  caughtError(code: string, place: Place): void {
    const codes = caughtCodesOf(this.#model);
    if (codes.includes(null)) return;
    const known = codes.filter((caught) => caught !== null);
    const what = 'event that catches the BPMN error';
    this.#known(what, code, known, place, `; expect failure: ${UNCAUGHT} if nothing shall catch it`);
  }

  #known(what: string, name: string, known: readonly string[], place: Place, remedy = ''): void {
    if (name === '' || known.includes(name)) return;
    const near = nearestName(name, known);
    const hint = near === null ? '' : `; the nearest is ${quoteText(near)}`;
    const code: ScenarioCode = 'SUTRA.SCENARIO.NAME_UNKNOWN';
    this.#refuse(code, `the package has no ${what} ${quoteText(name)}${hint}${remedy}`, place);
  }
}

/** The functions of the embedding program that the package's processes call. */
export function registeredNamesOf(model: PackageModel): readonly string[] {
  return [...new Set([...model.processes.values()].flatMap(registeredIn))];
}

/** The codes of the BPMN errors that events of the package catch; null: every one. */
function caughtCodesOf(model: PackageModel): readonly (string | null)[] {
  return [...model.processes.values()].flatMap(({ nodes }) =>
    [...nodes.values()].flatMap((node) =>
      'triggers' in node
        ? node.triggers.flatMap((trigger) => (trigger.kind === 'error' ? [trigger.errorCode] : []))
        : [],
    ),
  );
}

function registeredIn({ nodes }: ProcessDefinition): readonly string[] {
  return [...nodes.values()].flatMap((node) => {
    if (node.kind !== 'serviceTask' && node.kind !== 'businessRuleTask') return [];
    return node.implementation.kind === 'registered' ? [node.implementation.name] : [];
  });
}

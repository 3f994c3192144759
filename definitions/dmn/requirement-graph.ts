/**
 * The elements of all models of a package, and which of them require which.
 *
 * G1 An element is one object, whoever refers to it.
 * G2 Decisions do not require each other in a circle, nor do decision services call themselves. Knowledge models may:
 *    they are functions, and may end.
 * Source: DMN 1.5, 6.3 (requirements); 6.3.11 (no cycles).
 */
import type { Finding, Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import type { DmnCode } from './codes.ts';
import type {
  DecisionElement,
  DecisionService,
  DmnModel,
  ElementReference,
  InputData,
  KnowledgeModel,
  ModelImport,
} from './model.ts';
import { strongComponents } from './strong-components.ts';

export type Element =
  | { readonly kind: 'input'; readonly model: DmnModel; readonly node: InputData }
  | { readonly kind: 'decision'; readonly model: DmnModel; readonly node: DecisionElement }
  | { readonly kind: 'knowledge'; readonly model: DmnModel; readonly node: KnowledgeModel }
  | { readonly kind: 'service'; readonly model: DmnModel; readonly node: DecisionService };

export type DecisionNode = Extract<Element, { readonly kind: 'decision' }>;
export type ServiceNode = Extract<Element, { readonly kind: 'service' }>;

/** A reference to an element. */
export interface Link {
  readonly element: Element;
  /** The import that it comes by. Null: it is of the same model. */
  readonly via: ModelImport | null;
  readonly place: Place;
}

/** What an element refers to. */
export interface Links {
  /** Of a decision what it is computed from; of a service its parameters, in order. */
  readonly inputs: readonly Link[];
  /** Of a service what it gives. */
  readonly outputs: readonly Link[];
  /** Functions that it may call. */
  readonly knowledge: readonly Link[];
}

const none: Links = { inputs: [], outputs: [], knowledge: [] };

export class RequirementGraph {
  /** Each after what it refers to, as far as that can be. */
  readonly elements: readonly Element[];
  readonly #links: ReadonlyMap<Element, Links>;

  constructor(models: readonly DmnModel[], report: (finding: Finding) => void) {
    const directory = new Directory(models, report);
    const links = new Map(directory.elements.map((element) => [element, linksOf(element, directory)]));
    this.#links = links;
    const components = strongComponents(directory.elements, (element) =>
      targetsOf(links.get(element) ?? none),
    );
    this.elements = components.flat();
    this.#refuseCycles(report);
  }

  linksOf(element: Element): Links {
    return this.#links.get(element) ?? none;
  }

  #refuseCycles(report: (finding: Finding) => void): void {
    const decisions = this.elements.filter((element) => element.kind === 'decision');
    for (const cycle of cyclesIn(decisions, (element) => this.#requiredDecisions(element))) {
      report(cycleFinding(cycle, 'require'));
    }
    const functions = this.elements.filter(({ kind }) => kind === 'knowledge' || kind === 'service');
    for (const cycle of cyclesIn(functions, (element) => this.#calledBy(element))) {
      if (cycle.some(({ kind }) => kind === 'service')) report(cycleFinding(cycle, 'call'));
    }
  }

  #requiredDecisions(element: Element): readonly Element[] {
    return elementsOf(this.linksOf(element).inputs).filter(({ kind }) => kind === 'decision');
  }

  /** The functions that one may call: of a service those that the decisions in it require. */
  #calledBy(element: Element): readonly Element[] {
    const { outputs, inputs, knowledge } = this.linksOf(element);
    if (element.kind !== 'service') return elementsOf(knowledge);
    const given = new Set(elementsOf(inputs));
    const inside = new Set(elementsOf(outputs));
    const called: Element[] = [];
    // Grows while it is gone through.
    for (const decision of inside) {
      if (given.has(decision)) continue;
      called.push(...elementsOf(this.linksOf(decision).knowledge));
      for (const required of this.#requiredDecisions(decision)) inside.add(required);
    }
    return called;
  }
}

function elementsOf(links: readonly Link[]): readonly Element[] {
  return links.map(({ element }) => element);
}

function targetsOf({ inputs, outputs, knowledge }: Links): readonly Element[] {
  return elementsOf([...inputs, ...outputs, ...knowledge]);
}

function cyclesIn(
  elements: readonly Element[],
  targets: (element: Element) => readonly Element[],
): readonly (readonly Element[])[] {
  return strongComponents(elements, targets).filter(
    ([first, ...others]) => first !== undefined && (others.length > 0 || targets(first).includes(first)),
  );
}

/** Elements that a finding names. */
const MAX_NAMED = 5;

function cycleFinding(cycle: readonly Element[], verb: 'require' | 'call'): Finding {
  const names = cycle.map(({ node }) => quoteText(node.name));
  const code: DmnCode = 'SUTRA.DMN.REQUIREMENT_CYCLE';
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const message =
    names.length === 1
      ? `${names.join('')} ${verb}s itself`
      : `${names.slice(0, MAX_NAMED).join(', ')}${more} ${verb} each other in a circle`;
  return { code, severity: 'error', message, place: cycle[0]?.node.place ?? {} };
}

function linksOf(element: Element, directory: Directory): Links {
  const { model } = element;
  const find = (
    references: readonly ElementReference[],
    ...kinds: readonly Element['kind'][]
  ): readonly Link[] => references.flatMap((reference) => directory.find(reference, model, kinds) ?? []);
  switch (element.kind) {
    case 'input':
      return none;
    case 'decision': {
      const { inputs, decisions, knowledge } = element.node.requires;
      return {
        inputs: [...find(inputs, 'input'), ...find(decisions, 'decision')],
        outputs: [],
        knowledge: find(knowledge, 'knowledge', 'service'),
      };
    }
    case 'knowledge':
      // What is computed elsewhere is handed to a function.
      return { ...none, knowledge: find(element.node.requires.knowledge, 'knowledge', 'service') };
    case 'service': {
      const { outputs, encapsulated, inputDecisions, inputs } = element.node;
      find(encapsulated, 'decision');
      return {
        inputs: [...find(inputs, 'input'), ...find(inputDecisions, 'decision')],
        outputs: find(outputs, 'decision'),
        knowledge: [],
      };
    }
  }
}

const words: Readonly<Record<Element['kind'], string>> = {
  input: 'input data',
  decision: 'decision',
  knowledge: 'business knowledge model',
  service: 'decision service',
};

/** Of several of the same namespace the first. */
export function modelsByNamespace(models: readonly DmnModel[]): ReadonlyMap<string, DmnModel> {
  return new Map(models.toReversed().map((model) => [model.namespace, model]));
}

/** Finds elements by what refers to them. */
class Directory {
  readonly elements: readonly Element[];
  /** By their ids. Of models of the same namespace others see the first. */
  readonly #byModel = new Map<DmnModel, ReadonlyMap<string, Element>>();
  readonly #byNamespace: ReadonlyMap<string, DmnModel>;
  readonly #report: (finding: Finding) => void;

  constructor(models: readonly DmnModel[], report: (finding: Finding) => void) {
    this.#report = report;
    const elements: Element[] = [];
    for (const model of models) {
      const own = elementsIn(model);
      elements.push(...own);
      this.#byModel.set(
        model,
        new Map(own.flatMap((element) => (element.node.id === null ? [] : [[element.node.id, element]]))),
      );
    }
    this.elements = elements;
    this.#byNamespace = modelsByNamespace(models);
  }

  /** Null: there is no such element, which was reported. */
  find(
    { namespace, id, place }: ElementReference,
    from: DmnModel,
    kinds: readonly Element['kind'][],
  ): Link | null {
    const isOwn = namespace === null || namespace === from.namespace;
    const via = isOwn ? null : (from.imports.find((one) => one.namespace === namespace) ?? null);
    if (!isOwn && via === null) {
      return this.#refuse(`the namespace ${quoteText(namespace)} is not imported`, place);
    }
    const model = isOwn ? from : this.#byNamespace.get(namespace);
    // Of an import of no model it was said there.
    if (model === undefined) return null;
    const element = this.#byModel.get(model)?.get(id);
    if (element !== undefined && kinds.includes(element.kind)) return { element, via, place };
    // Of what is in the same file it was said when that was read.
    if (isOwn) return null;
    const wanted = kinds.map((kind) => words[kind]).join(' or ');
    const found = element === undefined ? '' : `; that is of the kind ${words[element.kind]}`;
    return this.#refuse(
      `the model ${quoteText(namespace)} has no ${wanted} of the id ${quoteText(id)}${found}`,
      place,
    );
  }

  #refuse(message: string, place: Place): null {
    const code: DmnCode = 'SUTRA.DMN.REFERENCE_DANGLING';
    this.#report({ code, severity: 'error', message, place });
    return null;
  }
}

function elementsIn(model: DmnModel): readonly Element[] {
  return [
    ...model.inputs.map((node): Element => ({ kind: 'input', model, node })),
    ...model.decisions.map((node): Element => ({ kind: 'decision', model, node })),
    ...model.knowledgeModels.map((node): Element => ({ kind: 'knowledge', model, node })),
    ...model.services.map((node): Element => ({ kind: 'service', model, node })),
  ];
}

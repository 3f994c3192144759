/** All models of a package, element by element. */
import type { Finding } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { builtins } from '../feel/builtins/index.ts';
import type { DmnCode } from './codes.ts';
import { compileBoxed } from './compile-boxed.ts';
import {
  compileDecision,
  compileInput,
  compileKnowledge,
  type CompiledElement,
  type Known,
} from './compile-elements.ts';
import type { Compilation, ReadText } from './compile-scope.ts';
import { compileService } from './compile-service.ts';
import { InputCollector } from './decision-inputs.ts';
import { compileItemTypes } from './compile-item-types.ts';
import { anyItem } from './item-types.ts';
import type { DmnModel } from './model.ts';
import { modelsByNamespace, RequirementGraph, type Element } from './requirement-graph.ts';

export interface CompiledModels {
  readonly elements: readonly Element[];
  readonly known: Known;
  readonly inputs: InputCollector;
  /** All texts of boxed expressions that could be read. */
  readonly texts: readonly ReadText[];
  readonly findings: readonly Finding[];
}

/** A person corrects tens of faults, not thousands. */
const MAX_FINDINGS = 1_000;

/** Each finding once, and a bounded number of them. */
class Findings {
  readonly #all = new Map<string, Finding>();
  #unlistedCount = 0;

  get all(): readonly Finding[] {
    if (this.#unlistedCount === 0) return [...this.#all.values()];
    const code: DmnCode = 'SUTRA.DMN.TOO_MANY_FINDINGS';
    const message = `${this.#unlistedCount} more findings are not listed; correct the first ${MAX_FINDINGS}`;
    return [...this.#all.values(), { code, severity: 'error', message, place: {} }];
  }

  readonly report = (finding: Finding): void => {
    const { code, message, place } = finding;
    const key = JSON.stringify([code, message, place]);
    if (this.#all.has(key)) return;
    if (this.#all.size < MAX_FINDINGS) this.#all.set(key, finding);
    else this.#unlistedCount += 1;
  };
}

export function compileModels(models: readonly DmnModel[]): CompiledModels {
  const findings = new Findings();
  const { report } = findings;
  checkNamespaces(models, report);
  const types = compileItemTypes(models);
  types.findings.forEach(report);
  const graph = new RequirementGraph(models, report);
  const texts: ReadText[] = [];
  const compilations = new Map(
    models.map((model): [DmnModel, Compilation] => [
      model,
      {
        builtins,
        types: types.byModel.get(model) ?? { resolve: () => anyItem, lookup: () => null },
        report,
        onText: (text) => texts.push(text),
        compile: compileBoxed,
      },
    ]),
  );
  const compiled = new Map<Element, CompiledElement>();
  const inputs = new InputCollector();
  const known: Known = (element) => compiled.get(element);
  for (const element of graph.elements) {
    const compilation = compilations.get(element.model);
    if (compilation === undefined) continue;
    compiled.set(element, compileElement(element, graph, compilation, known));
    if (element.kind === 'decision') {
      inputs.add(element, graph.linksOf(element).inputs, (input) => known(input)?.type ?? anyItem);
    }
  }
  return { elements: graph.elements, known, inputs, texts, findings: findings.all };
}

function compileElement(
  element: Element,
  graph: RequirementGraph,
  compilation: Compilation,
  known: Known,
): CompiledElement {
  const links = graph.linksOf(element);
  switch (element.kind) {
    case 'input': {
      const { types, report } = compilation;
      return compileInput(element, types.resolve(element.node.variable.type, report));
    }
    case 'decision':
      return compileDecision(element, links, compilation, known);
    case 'knowledge':
      return compileKnowledge(element, links, compilation, known);
    case 'service':
      return compileService(element, links, compilation, known);
  }
}

function checkNamespaces(models: readonly DmnModel[], report: (finding: Finding) => void): void {
  const byNamespace = modelsByNamespace(models);
  const error = (code: DmnCode, message: string, place: Finding['place']): void => {
    report({ code, severity: 'error', message, place });
  };
  // Modelers write one namespace into all files that they make; it tells nothing of those that nobody imports.
  const imported = new Set(models.flatMap(({ imports }) => imports.map(({ namespace }) => namespace)));
  for (const model of models) {
    const first = byNamespace.get(model.namespace);
    if (first !== undefined && first !== model && imported.has(model.namespace)) {
      const message = `the namespace ${quoteText(model.namespace)}, which a model imports, is also that of ${first.file}`;
      error('SUTRA.DMN.NAMESPACE_DUPLICATE', message, { file: model.file, line: 1, column: 1 });
    }
    for (const { namespace, place } of model.imports) {
      if (byNamespace.has(namespace)) continue;
      error('SUTRA.DMN.IMPORT_UNKNOWN', `no decision model has the namespace ${quoteText(namespace)}`, place);
    }
  }
}

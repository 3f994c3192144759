/** Compiles small BPMN files for tests, and picks what they look at out of the model. */
import assert from 'node:assert/strict';
import type { Activity, ProcessDefinition } from '../../../definitions/model.ts';
import type { FlowNode, FlowNodeKind } from '../../../definitions/model.ts';
import { compileText, processWith } from './marked-file.ts';

/** Some types of the model stand for two kinds. */
export type NodeOf<K extends FlowNodeKind, N = FlowNode> = N extends { readonly kind: infer Kinds }
  ? K extends Kinds
    ? N
    : never
  : never;

/** The one process of a file without findings, but for warnings of the given codes. */
export function onlyProcess(text: string, warnings: readonly string[] = []): ProcessDefinition {
  const { processes, findings } = compileText(text);
  assert.deepEqual(
    findings.map(({ code }) => code),
    warnings,
    JSON.stringify(findings, null, 1),
  );
  const [process] = processes;
  assert.ok(process !== undefined && processes.length === 1);
  return process;
}

export function nodeOf<K extends FlowNodeKind>(process: ProcessDefinition, id: string, kind: K): NodeOf<K> {
  const node = process.nodes.get(id);
  assert.equal(node?.kind, kind);
  return node as NodeOf<K>;
}

/** The node `n` of a process that holds `inside`. */
export function nodeIn<K extends FlowNodeKind>(kind: K, inside: string, roots = ''): NodeOf<K> {
  return nodeOf(onlyProcess(processWith(inside, roots)), 'n', kind);
}

/** The mappings of an activity in words: `expression -> variable`, `store(key) -> variable`. */
export function mappingsOf({ data }: Activity): {
  locals: readonly string[];
  inputs: readonly string[];
  outputs: readonly string[];
} {
  const inWords = (mappings: Activity['data']['inputs']): string[] =>
    mappings.map(({ from, to }) => {
      const source =
        from.kind === 'expression' ? from.expression.text : `${from.store.store}(${from.store.key.text})`;
      return `${source} -> ${to.kind === 'variable' ? to.path.join('.') : `${to.store.store}(${to.store.key.text})`}`;
    });
  return { locals: data.locals, inputs: inWords(data.inputs), outputs: inWords(data.outputs) };
}

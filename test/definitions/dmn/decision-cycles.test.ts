import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { strongComponents } from '../../../definitions/dmn/strong-components.ts';

type Graph = readonly (readonly number[])[];

/** All nodes that one reaches, itself only by a way. */
function reachedFrom(start: number, graph: Graph): ReadonlySet<number> {
  const reached = new Set(graph[start]);
  // Grows while it is gone through.
  for (const node of reached) for (const target of graph[node] ?? []) reached.add(target);
  return reached;
}

describe('strong components', () => {
  const size = 7;
  const graphs = fc.array(fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }), {
    minLength: size,
    maxLength: size,
  });

  test('are the nodes that reach each other, each after those that it reaches', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const nodes = graph.map((_, index) => index);
        const components = strongComponents(nodes, (node) => graph[node] ?? []);
        const componentOf = (node: number): number => components.findIndex((one) => one.includes(node));
        assert.deepEqual(
          components.flat().toSorted((one, other) => one - other),
          nodes,
        );
        for (const one of nodes) {
          const reached = reachedFrom(one, graph);
          for (const other of nodes) {
            const isMutual = one === other || (reached.has(other) && reachedFrom(other, graph).has(one));
            assert.equal(componentOf(one) === componentOf(other), isMutual);
            if (reached.has(other)) assert.ok(componentOf(other) <= componentOf(one));
          }
        }
      }),
    );
  });

  test('are found in a long row', () => {
    const length = 100_000;
    const nodes = Array.from({ length }, (_, index) => index);
    const components = strongComponents(nodes, (node) => (node + 1 < length ? [node + 1] : []));
    assert.equal(components.length, length);
    assert.deepEqual(components[0], [length - 1]);
  });
});

/** Packages with models in both notations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../config/engine-error.ts';
import type { FlowNode, ProcessDefinition, SequenceFlow } from '../../definitions/model.ts';
import { compilePackage } from '../../definitions/package.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import { readPackageFolder } from '../../definitions/package-folder.ts';

const labels = "labels: { tenant: acme, module: orders, version: '1' }\n";
const channels = `channels:
  - { name: orders, transport: http }
  - { name: work, transport: pull }
`;
const flow = 'steps: [ { start: orders, variable: order }, { call: work } ]\n';
const bpmn = (id: string): string =>
  `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="x">
<process id="${id}" isExecutable="true"><startEvent id="s"/></process></definitions>`;

function compile(models: Readonly<Record<string, string>>): ReturnType<typeof compilePackage> {
  const contents = { 'package.yaml': labels, 'channels.yaml': channels, ...models };
  return compilePackage(
    Object.entries(contents).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) })),
  );
}

const outline = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ code, place }) => `${code} ${place.file ?? ''}:${place.line ?? ''}:${place.column ?? ''}`);

describe('flows of a package', () => {
  it('are models, whether their names end in .yaml or .yml, in any folder of flows/', () => {
    const { model, findings } = compile({
      'flows/a.yaml': flow,
      'flows/deep/er/b.yml': 'steps: [ { call: work } ]\n',
    });
    assert.deepEqual(findings, []);
    assert.deepEqual([...(model?.processes.keys() ?? [])], ['a', 'b']);
  });

  it('stand beside BPMN files, and call each other', () => {
    const { model, findings } = compile({
      'flows/a.yaml': 'steps: [ { flow: b } ]\n',
      'bpmn/b.bpmn': bpmn('b'),
    });
    assert.deepEqual(findings, []);
    assert.deepEqual([...(model?.processes.keys() ?? [])].sort(), ['a', 'b']);
  });

  for (const [first, second, at] of [
    [{ 'bpmn/a.bpmn': bpmn('a') }, { 'flows/a.yaml': flow }, 'flows/a.yaml:1:1'],
    [{ 'flows/x.yaml': `id: a\n${flow}` }, { 'bpmn/a.bpmn': bpmn('a') }, 'bpmn/a.bpmn:2:1'],
    [{ 'flows/a.yaml': flow }, { 'flows/a.yml': `# the same\n${flow}` }, 'flows/a.yml:2:1'],
  ] as const) {
    it(`have ids of their own: ${Object.keys({ ...first, ...second }).join(', ')}`, () => {
      const { model, findings } = compile({ ...first, ...second });
      assert.equal(model, null);
      const duplicates = findings.filter(({ code }) => code === 'SUTRA.PACKAGE.PROCESS_DUPLICATE');
      assert.deepEqual(outline(duplicates), [`SUTRA.PACKAGE.PROCESS_DUPLICATE ${at}`]);
      assert.match(duplicates[0]?.message ?? '', new RegExp(`already in ${Object.keys(first)[0] ?? ''}`));
    });
  }

  it('bring no channels along: what is not in channels.yaml is a fault', () => {
    const { model, findings } = compile({ 'flows/a.yaml': 'steps:\n  - call: nowhere\n' });
    assert.equal(model, null);
    assert.deepEqual(outline(findings), ['SUTRA.PACKAGE.CHANNEL_UNKNOWN flows/a.yaml:2:5']);
  });

  it('are refused together with everything else that is wrong', () => {
    const { findings } = compile({ 'flows/a.yaml': 'stepz: []\n', 'bpmn/b.bpmn': '<nonsense' });
    const files = new Set(findings.map(({ place }) => place.file));
    assert.deepEqual([...files].sort(), ['bpmn/b.bpmn', 'flows/a.yaml']);
  });
});

/** What the process is, without where it stands, how its sequence flows are called, and its joins. */
function essence(process: ProcessDefinition): unknown {
  const { nodes, flows, place: _, start, ...others } = process;
  const joins = new Map([...nodes].filter(([, node]) => isJoin(node)));
  const targetOf = (id: string): string => {
    const next = flows.get(joins.get(id)?.outgoing[0] ?? '');
    return next === undefined ? id : targetOf(next.targetId);
  };
  const wayOf = ({ targetId, condition, id }: SequenceFlow, source: FlowNode): unknown => [
    targetOf(targetId),
    condition?.text ?? null,
    'defaultFlowId' in source && source.defaultFlowId === id,
  ];
  return {
    ...others,
    start: [...start],
    children: process.children.filter((id) => !joins.has(id)).sort(),
    nodes: Object.fromEntries(
      [...nodes]
        .filter(([id]) => !joins.has(id))
        .map(([id, { incoming: _in, outgoing, ...node }]) => [
          id,
          [
            plain(node),
            outgoing
              .flatMap((flow) => flows.get(flow) ?? [])
              .map((flow) => wayOf(flow, nodes.get(id) ?? fail(id))),
          ],
        ]),
    ),
  };
}

function fail(id: string): never {
  throw new Error(`there is no node ${id}`);
}

/** It only brings paths together. */
function isJoin({ kind, outgoing, incoming }: FlowNode): boolean {
  return kind === 'exclusiveGateway' && outgoing.length === 1 && incoming.length > 1;
}

/** Expressions as their texts; without places. */
function plain(value: object): unknown {
  const text = JSON.stringify(value, (key, inner: unknown) => {
    if (key === 'place' || key === 'defaultFlowId') return undefined;
    if (typeof inner === 'object' && inner !== null && 'evaluate' in inner && 'text' in inner)
      return inner.text;
    return inner;
  });
  return JSON.parse(text);
}

describe('the examples', () => {
  const modelOf = async (folder: string): Promise<PackageModel> => {
    const files = await readPackageFolder(
      fileURLToPath(new URL(`../../examples/${folder}`, import.meta.url)),
    );
    const { model, findings } = compilePackage(files);
    assert.deepEqual(findings, []);
    assert.ok(model !== null);
    return model;
  };

  it('say the same in both notations', async () => {
    const [drawn, written] = await Promise.all(['order-scoring', 'order-scoring-flow'].map(modelOf));
    assert.deepEqual([...(drawn?.processes.keys() ?? [])], ['order-scoring']);
    const [one, other] = [drawn, written].map((model) => model?.processes.get('order-scoring'));
    assert.ok(one !== undefined && other !== undefined);
    assert.deepEqual(essence(other), essence(one));
    assert.deepEqual(
      plain([...(written?.channels.values() ?? [])]),
      plain([...(drawn?.channels.values() ?? [])]),
    );
  });
});

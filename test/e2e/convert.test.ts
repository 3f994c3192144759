/** `sutra convert`: what it writes where, and with which code it ends. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sutra } from './command.ts';

const flow = 'id: order\nsteps:\n  - start: orders\n    id: placed\n  - call: work\n';

function model(...ids: readonly string[]): string {
  const processes = ids.map(
    (id) =>
      `<process id="${id}" isExecutable="true"><startEvent id="s-${id}"/><serviceTask id="t-${id}" implementation="channel:work"/><sequenceFlow id="f-${id}" sourceRef="s-${id}" targetRef="t-${id}"/></process>`,
  );
  return `<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL">${processes.join('')}</definitions>`;
}

const files: Readonly<Record<string, string>> = {
  'order.yaml': flow,
  'broken.yml': 'steps: [ { cal: a } ]',
  'two.bpmn': model('one', 'two'),
  'taken.bpmn20.xml': model('taken'),
  'taken.yaml': 'mine',
  'other.bpmn': model('first', 'taken'),
  'people.bpmn': model('p').replace('serviceTask', 'userTask').replace(' implementation="channel:work"', ''),
  'notes.txt': 'x',
};

describe('sutra convert', { concurrency: 1 }, () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const textOf = (name: string): Promise<string> => readFile(at(name), 'utf8');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sutra-convert-'));
    for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('turns a flow into a BPMN file with a diagram, and that into the flow again', async () => {
    const there = await sutra(['convert', at('order.yaml')]);
    assert.deepEqual(there, { code: 0, stdout: `wrote ${at('order.bpmn')}\n`, stderr: '' });
    assert.match(await textOf('order.bpmn'), /<bpmndi:BPMNShape [^>]*bpmnElement="call-work"/);
    const back = await sutra(['convert', at('order.bpmn'), '--output', at('again.yaml')]);
    assert.deepEqual(back, { code: 0, stdout: `wrote ${at('again.yaml')}\n`, stderr: '' });
    assert.equal(await textOf('again.yaml'), flow);
  });

  it('writes a flow for each process of a file, and says what is different in them', async () => {
    const { code, stdout, stderr } = await sutra(['convert', at('two.bpmn')]);
    assert.equal(code, 0, stderr);
    assert.equal(stdout, `wrote ${at('one.yaml')}\nwrote ${at('two.yaml')}\n`);
    assert.match(stderr, /warning SUTRA\.FLOWS\.CONVERSION_NOTE .*sequence flows get other ids/);
    const named = await sutra(['convert', at('two.bpmn'), '--output', at('both.yaml')]);
    assert.equal(named.code, 2);
    assert.match(named.stderr, /2 processes.*SUTRA\.CLI\.OUTPUT_AMBIGUOUS/);
  });

  it('overwrites nothing without being told to, and then writes nothing', async () => {
    const { code, stderr } = await sutra(['convert', at('taken.bpmn20.xml')]);
    assert.equal(code, 2);
    assert.match(stderr, /SUTRA\.CLI\.FILE_EXISTS/);
    assert.equal((await sutra(['convert', at('other.bpmn')])).code, 2);
    assert.equal(await textOf('taken.yaml'), 'mine');
    assert.ok(!(await readdir(folder)).includes('first.yaml'));
    assert.equal((await sutra(['convert', at('taken.bpmn20.xml'), '--force'])).code, 0);
    assert.match(await textOf('taken.yaml'), /^id: taken\n/);
  });

  it('says where and why something cannot be converted, and ends with code 1', async () => {
    const faulty = await sutra(['convert', at('broken.yml')]);
    assert.equal(faulty.code, 1);
    assert.match(faulty.stderr, /broken\.yml:1:\d+ error SUTRA\.FLOWS\.VERB_MISSING/);
    const unsaid = await sutra(['convert', at('people.bpmn')]);
    assert.equal(unsaid.code, 1);
    assert.match(
      unsaid.stderr,
      /people\.bpmn:1:\d+ error SUTRA\.FLOWS\.NOT_CONVERTIBLE \[t-p\] .*user tasks/,
    );
    assert.ok(!(await readdir(folder)).includes('p.yaml'));
  });

  const wrong: readonly (readonly [
    name: string,
    args: (folder: string) => readonly string[],
    code: string,
  ])[] = [
    ['a file of another kind', (dir) => [join(dir, 'notes.txt')], 'NOTATION_UNKNOWN'],
    ['a file that is not there', (dir) => [join(dir, 'nothing.yaml')], 'FILE_UNREADABLE'],
    [
      'a folder that is not there',
      (dir) => [join(dir, 'order.yaml'), '-o', join(dir, 'no', 'order.bpmn')],
      'FILE_UNWRITABLE',
    ],
  ];
  for (const [name, args, expected] of wrong) {
    it(`refuses ${name}`, async () => {
      const { code, stdout, stderr } = await sutra(['convert', ...args(folder)]);
      assert.equal(code, 2);
      assert.equal(stdout, '');
      assert.match(stderr, new RegExp(`\\[SUTRA\\.CLI\\.${expected}\\]`));
    });
  }
});

/** Which elements are audited, and which names of a package are sensitive. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePackage } from '../../definitions/package.ts';
import type { PackageModel } from '../../definitions/package-model.ts';
import { onlyProcess } from './bpmn/model-of.ts';
import { definitions, extensions } from './bpmn/marked-file.ts';
import { flows, packageFiles, start } from '../support/packages.ts';

const audit = (payload: boolean): string => `<q:audit payload="${payload}"/>`;

describe('q:audit', () => {
  const receive = (id: string, inside: string): string =>
    `<receiveTask id="${id}">${extensions(`<q:source channel="in"/>${inside}`)}</receiveTask>`;
  const process = (own: string, ofSubProcess: string): string =>
    definitions(`<process id="p">${extensions(own)}
<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="sub"/>
${receive('on', audit(true))}<sequenceFlow id="g" sourceRef="sub" targetRef="on"/>
${receive('off', audit(false))}<sequenceFlow id="h" sourceRef="on" targetRef="off"/>
<subProcess id="sub">${extensions(ofSubProcess)}<startEvent id="inner"/><sequenceFlow id="i" sourceRef="inner" targetRef="deep"/>
${receive('deep', '')}</subProcess></process>`);
  const rows: readonly (readonly [string, string, string, string])[] = [
    ['nothing says so', '', '', 'on'],
    ['the process says so', audit(true), '', 'p s on sub inner deep'],
    ['the process says so, and a sub-process that it is not', audit(true), audit(false), 'p s on'],
    ['a sub-process says so', '', audit(true), 'on sub inner deep'],
    ['the process says that it is not', audit(false), '', 'on'],
  ];
  for (const [name, own, inner, expected] of rows) {
    it(`is of an element as what is nearest says: ${name}`, () => {
      const { id, isAudited, nodes } = onlyProcess(process(own, inner));
      const audited = [...nodes.values()].filter((node) => node.isAudited === true).map((node) => node.id);
      const all = [...(isAudited === true ? [id] : []), ...audited];
      assert.deepEqual(all.sort(), expected.split(' ').sort());
    });
  }
});

describe('the sensitive names of a package', () => {
  const assign = (from: string, to: string): string =>
    `<dataOutputAssociation><assignment><from>${from}</from><to>${to}</to></assignment></dataOutputAssociation>`;
  const secret = extensions('<q:variables><q:variable name="card" sensitive="true"/></q:variables>');
  const task = (inside: string): string => `${start('in', '', 'name="message"')}${inside}`;
  const script = (text: string, output = ''): string =>
    `<scriptTask id="n">${extensions(output)}<script>${text}</script></scriptTask>`;
  const send = (attributes: string): string =>
    `<sendTask id="n">${extensions(`<q:send ${attributes}/>`)}</sendTask>`;

  function compiled(inside: string, other: string): PackageModel {
    const texts = packageFiles({
      channels: `  - { name: in, transport: http, bind: "POST /channels/in" }
  - { name: again, transport: pull }
  - { name: work, transport: pull }`,
      processes: {
        p: `${secret}${task(inside)}${flows('start -> n')}`,
        q: `${start('again', '', 'name="second"')}${other}`,
      },
    });
    const files = Object.entries(texts).map(([path, text]) => ({
      path,
      content: new TextEncoder().encode(text),
    }));
    const { model, findings } = compilePackage(files);
    assert.ok(model !== null, JSON.stringify(findings, null, 1));
    return model;
  }

  const rows: readonly (readonly [string, string, string])[] = [
    ['nothing reads it', '<task id="n"/>', 'card'],
    ['an assignment', `<serviceTask id="n">${assign('card', 'copy')}</serviceTask>`, 'card copy'],
    [
      'a path inside',
      `<serviceTask id="n">${assign('message.card', 'order.copy')}</serviceTask>`,
      'card copy',
    ],
    [
      'a name in a text',
      `<serviceTask id="n">${assign('get value(message, "card")', 'copy')}</serviceTask>`,
      'card copy',
    ],
    [
      'one after the other, in any order',
      `<serviceTask id="n">${assign('copy', 'third')}${assign('card', 'copy')}</serviceTask>`,
      'card copy third',
    ],
    [
      'a text of whatever a variable holds',
      `<serviceTask id="n">${assign('string(message)', 'copy')}</serviceTask>`,
      'card copy',
    ],
    [
      'a text of a number',
      `<serviceTask id="n">${assign('string(message + 1)', 'copy')}</serviceTask>`,
      'card',
    ],
    ['a script into a variable', script('upper case(card)', '<q:output variable="loud"/>'), 'card loud'],
    ['a script into variables', script('{ loud: upper case(card), other: 1 }'), 'card loud other'],
    ['a script into who knows what', script('context put({}, "a", card)'), '* card'],
    [
      'a parameter of a call',
      `<serviceTask id="n" implementation="channel:work">${extensions('<q:param name="number" expression="card"/>')}</serviceTask>`,
      'card number',
    ],
    [
      'a message to another process',
      send('channel="again" body="card"'),
      'any:channel:again card channel:again payload second',
    ],
    [
      'a message of contexts',
      send('channel="again" body="{ a: card }"'),
      'a card channel:again payload second',
    ],
    ['a message to nobody here', send('channel="work" body="1"'), 'card'],
    [
      'a loop over it',
      `<task id="n"><multiInstanceLoopCharacteristics>${extensions('<q:loop collection="card" item="digit" outputItem="digit" output="digits"/>')}</multiInstanceLoopCharacteristics></task>`,
      'card digit digits',
    ],
  ];
  for (const [name, inside, expected] of rows) {
    it(`are what is declared and what is made of it: ${name}`, () => {
      const { processes } = compiled(inside, '');
      const names = [...processes.values()].map(({ sensitiveNames = [] }) =>
        [...sensitiveNames]
          .filter((each) => each !== 'any:text')
          .sort()
          .join(' '),
      );
      assert.deepEqual(names, [expected, expected]);
    });
  }

  it('are none where nothing is declared', () => {
    const texts = packageFiles({
      channels: '  - { name: in, transport: http, bind: "POST /channels/in" }',
      processes: { p: `${task('<task id="n"/>')}${flows('start -> n')}` },
    });
    const files = Object.entries(texts).map(([path, text]) => ({
      path,
      content: new TextEncoder().encode(text),
    }));
    const process = compilePackage(files).model?.processes.get('p');
    assert.ok(process !== undefined && !('sensitiveNames' in process));
  });
});

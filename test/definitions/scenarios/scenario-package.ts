/** A package with a bit of everything that a scenario can name. */
import type { PackageFile, PackageModel } from '../../../definitions/package-model.ts';
import { compilePackage } from '../../../definitions/package.ts';
import { call, flows, packageFiles, start } from '../../support/packages.ts';

export function filesOf(texts: Readonly<Record<string, string>>): PackageFile[] {
  return Object.entries(texts).map(([path, text]) => ({ path, content: new TextEncoder().encode(text) }));
}

export const namedTexts = packageFiles({
  channels: `  - { name: orders, transport: http, bind: "POST /orders", ack-mode: on-persist }
  - { name: work, transport: pull }
  - { name: bank, transport: http, bind: "https://bank.example/pay" }`,
  processes: {
    order: `${start('orders')}${call('work-it', 'work')}${call('pay', 'bank')}
<serviceTask id="print" implementation="registered:print"/><userTask id="approve"/><endEvent id="end"/>
${flows('start -> work-it', 'work-it -> pay', 'pay -> print', 'print -> approve', 'approve -> end')}`,
    plain: `<startEvent id="begin"/><endEvent id="done"/>${flows('begin -> done')}`,
  },
});

export function modelOf(texts: Readonly<Record<string, string>>): PackageModel {
  const { model, findings } = compilePackage(filesOf(texts));
  if (model === null) throw new Error(JSON.stringify(findings, null, 1));
  return model;
}

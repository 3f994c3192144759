/** A whole engine with the facade of Camunda 8, the published client for it, and a proxy that writes down what it sends. */
import assert from 'node:assert/strict';
import { createServer, request as forward, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCamundaClient, type CamundaClient } from '@camunda8/orchestration-cluster-api';
import type { Database } from '../../engine/store/database.ts';
import { TestEngine } from '../support/engine.ts';

export function startCamunda8(
  database: Database,
  env: Readonly<Record<string, string>> = {},
): Promise<TestEngine> {
  return TestEngine.start({ database, env: { SUTRA_COMPAT_CAMUNDA8: 'true', ...env } });
}

type Overrides = NonNullable<Parameters<typeof createCamundaClient>[0]>['config'];

/** Nothing of the environment, and no log: what a test provokes is not to be read as a fault of the test. */
export function clientFor(url: string, overrides: Overrides = {}): CamundaClient {
  return createCamundaClient({
    env: {},
    config: { CAMUNDA_REST_ADDRESS: url, CAMUNDA_SDK_LOG_LEVEL: 'silent', ...overrides },
  });
}

/** What the client rejects with. */
export interface ClientError {
  readonly name: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

export async function refusalOf(call: PromiseLike<unknown>): Promise<ClientError> {
  const outcome = await Promise.resolve(call).then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  assert.ok('error' in outcome, 'refused');
  return outcome.error as ClientError;
}

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string | undefined;
  readonly body: string;
}

export interface Recorder {
  readonly url: string;
  readonly sent: readonly SentRequest[];
  close(): Promise<void>;
}

/** Passes everything on to `target`, and keeps the requests. `losesAnswer`: the connection is cut in place of the answer. */
export async function record(
  target: string,
  losesAnswer: (request: SentRequest) => boolean = () => false,
): Promise<Recorder> {
  const sent: SentRequest[] = [];
  const server = createServer((incoming, answer) => {
    void bodyOf(incoming).then((body) => {
      const { method = '', url: path = '', headers } = incoming;
      const taken = { method, path, contentType: headers['content-type'], body: body.toString('utf8') };
      const isLost = losesAnswer(taken);
      sent.push(taken);
      const outgoing = forward(`${target}${path}`, { method, headers }, (reply) => {
        if (isLost) {
          answer.destroy();
          reply.resume();
          return;
        }
        answer.writeHead(reply.statusCode ?? 0, reply.headers);
        reply.pipe(answer);
      });
      outgoing.on('error', () => answer.destroy());
      answer.on('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

/** Until it holds, for what another part of the engine, or the client, still has to do. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!(await holds())) {
    assert.ok(performance.now() < deadline, `in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface ModelFile {
  readonly name: string;
  readonly xml: string;
}

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:modeler="http://camunda.org/schema/modeler/1.0" id="definitions" targetNamespace="http://bpmn.io/schema/bpmn" exporter="Camunda Modeler" exporterVersion="5.30.0" modeler:executionPlatform="Camunda Cloud" modeler:executionPlatformVersion="8.8.0">`;

const model = (name: string, inside: string): ModelFile => ({
  name: `${name}.bpmn`,
  xml: `${HEAD}${inside}</bpmn:definitions>`,
});

const flow = (id: string, from: string, to: string): string =>
  `<bpmn:sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}"/>`;

const work = (type: string, more = ''): string =>
  `<bpmn:extensionElements><zeebe:taskDefinition type="${type}"/>${more}</bpmn:extensionElements>`;

/** One job of type `type`, then the end. */
export const oneJob = (processId: string, type: string): ModelFile =>
  model(
    processId,
    `<bpmn:process id="${processId}" name="One job" isExecutable="true">
<bpmn:startEvent id="start"/><bpmn:serviceTask id="work">${work(type)}</bpmn:serviceTask><bpmn:endEvent id="end"/>
${flow('f1', 'start', 'work')}${flow('f2', 'work', 'end')}
</bpmn:process>`,
  );

/** Reserve, of which the error `OUT_OF_STOCK` is caught; wait for the payment of this order; ship. */
export const order: ModelFile = model(
  'order',
  `<bpmn:message id="payment" name="payment received"><bpmn:extensionElements><zeebe:subscription correlationKey="=orderId"/></bpmn:extensionElements></bpmn:message>
<bpmn:error id="outOfStock" name="out of stock" errorCode="OUT_OF_STOCK"/>
<bpmn:process id="order" name="Order" isExecutable="true">
<bpmn:startEvent id="start"/>
<bpmn:serviceTask id="reserve">${work('reserve-stock', '<zeebe:taskHeaders><zeebe:header key="warehouse" value="north"/></zeebe:taskHeaders>')}</bpmn:serviceTask>
<bpmn:boundaryEvent id="noStock" attachedToRef="reserve"><bpmn:errorEventDefinition errorRef="outOfStock"/></bpmn:boundaryEvent>
<bpmn:serviceTask id="apologise">${work('apologise')}</bpmn:serviceTask>
<bpmn:intermediateCatchEvent id="paid"><bpmn:messageEventDefinition messageRef="payment"/></bpmn:intermediateCatchEvent>
<bpmn:serviceTask id="ship">${work('ship')}</bpmn:serviceTask>
<bpmn:endEvent id="shipped"/><bpmn:endEvent id="sorry"/>
${flow('f1', 'start', 'reserve')}${flow('f2', 'reserve', 'paid')}${flow('f3', 'paid', 'ship')}${flow('f4', 'ship', 'shipped')}
${flow('f5', 'noStock', 'apologise')}${flow('f6', 'apologise', 'sorry')}
</bpmn:process>`,
);

/** Begins with a message. */
export const claim: ModelFile = model(
  'claim',
  `<bpmn:message id="filed" name="claim filed"/>
<bpmn:process id="claim" isExecutable="true">
<bpmn:startEvent id="start"><bpmn:messageEventDefinition messageRef="filed"/></bpmn:startEvent>
<bpmn:serviceTask id="check">${work('check-claim')}</bpmn:serviceTask><bpmn:endEvent id="end"/>
${flow('f1', 'start', 'check')}${flow('f2', 'check', 'end')}
</bpmn:process>`,
);

export function deploy(
  client: CamundaClient,
  ...files: readonly ModelFile[]
): ReturnType<CamundaClient['createDeployment']> {
  return client.createDeployment({
    resources: files.map(({ name, xml }) => new File([xml], name, { type: 'application/xml' })),
  });
}

/** A client of the facade for Camunda 7: every answer is held against what all of that system's clients rely on. */
import assert from 'node:assert/strict';
import type { TestEngine } from '../support/engine.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; null when there is none. */
  readonly json: unknown;
  readonly bytes: Buffer;
}

export interface RestError {
  readonly type: string;
  readonly message: string;
  readonly code: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface StartedInstance {
  readonly id: string;
  readonly definitionId: string;
  readonly businessKey: string | null;
  readonly ended: boolean;
  readonly suspended: boolean;
  readonly tenantId: string | null;
  readonly links: readonly unknown[];
}

export interface CreatedDeployment {
  readonly id: string;
  readonly name: string;
  readonly source: string | null;
  readonly deploymentTime: string;
  readonly tenantId: string | null;
  readonly deployedProcessDefinitions: Readonly<Record<string, DefinitionAnswer>> | null;
  readonly warnings?: readonly string[];
  readonly links: readonly { readonly method: string; readonly href: string; readonly rel: string }[];
}

export interface DefinitionAnswer {
  readonly id: string;
  readonly key: string;
  readonly version: number;
  readonly versionTag: string;
  readonly resource: string;
  readonly deploymentId: string;
  readonly tenantId: string | null;
}

export type Typed = Readonly<
  Record<string, { readonly type?: string; readonly value: unknown; readonly valueInfo?: unknown }>
>;

export class CamundaRest {
  readonly #engine: TestEngine;

  constructor(engine: TestEngine) {
    this.#engine = engine;
  }

  async call(method: string, path: string, init: RequestInit = {}): Promise<RestAnswer> {
    const response = await fetch(`${this.#engine.url}/engine-rest/${path}`, { method, ...init });
    const bytes = Buffer.from(await response.arrayBuffer());
    const type = response.headers.get('content-type');
    const { status, headers } = response;
    const shown = `${method} ${path}: ${String(status)} ${bytes.toString('utf8').slice(0, 2_000)}`;
    if (status === 204) {
      assert.deepEqual([type, bytes.length], [null, 0], shown);
      return { status, headers, json: null, bytes };
    }
    if (status >= 400) assert.equal(type, 'application/json', shown);
    const json: unknown = type === 'application/json' ? JSON.parse(bytes.toString('utf8')) : null;
    if (status >= 400) {
      const error = json as RestError;
      assert.match(error.type, /^\w+$/, shown);
      assert.match(error.message, /\S/, shown);
      assert.ok('code' in error, shown);
    }
    return { status, headers, json, bytes };
  }

  /** The JSON of an answer 200. */
  async get<Json>(path: string): Promise<Json> {
    const { status, json } = await this.call('GET', path);
    assert.equal(status, 200, `GET ${path}: ${JSON.stringify(json)}`);
    return json as Json;
  }

  send(method: string, path: string, body: unknown): Promise<RestAnswer> {
    return this.call(method, path, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  async post<Json>(path: string, body: unknown, expected = 200): Promise<Json> {
    const { status, json } = await this.send('POST', path, body);
    assert.equal(status, expected, `POST ${path}: ${JSON.stringify(json)}`);
    return json as Json;
  }

  /** What is refused, with its status. */
  async refused(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<RestError & { readonly status: number }> {
    const { status, json } = await (body === undefined
      ? this.call(method, path)
      : this.send(method, path, body));
    assert.ok(status >= 400, `${method} ${path} is refused: ${String(status)} ${JSON.stringify(json)}`);
    return { ...(json as RestError), status };
  }

  upload(
    files: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<RestAnswer> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    for (const [name, text] of Object.entries(files)) form.append(name, new Blob([text]), name);
    return this.call('POST', 'deployment/create', { body: form });
  }

  async deploy(
    files: Readonly<Record<string, string>>,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<CreatedDeployment> {
    const { status, json } = await this.upload(files, fields);
    assert.equal(status, 200, JSON.stringify(json, null, 1));
    return json as CreatedDeployment;
  }

  start(key: string, body: unknown = {}): Promise<StartedInstance> {
    return this.post(`process-definition/key/${key}/start`, body);
  }

  /** The only task of the topic, locked. */
  async fetchTask(topicName: string): Promise<FetchedTask> {
    const tasks = await this.post<readonly FetchedTask[]>('external-task/fetchAndLock', {
      workerId: 'w',
      maxTasks: 10,
      asyncResponseTimeout: 10_000,
      topics: [{ topicName, lockDuration: 60_000 }],
    });
    const [task] = tasks;
    assert.ok(task !== undefined && tasks.length === 1, `one task of ${topicName}: ${JSON.stringify(tasks)}`);
    return task;
  }

  complete(task: FetchedTask, variables: Typed = {}): Promise<null> {
    return this.post(`external-task/${task.id}/complete`, { workerId: 'w', variables }, 204);
  }
}

export interface FetchedTask {
  readonly id: string;
  readonly processInstanceId: string;
  readonly executionId: string;
  readonly businessKey: string | null;
  readonly variables: Typed;
}

const head = `<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" id="definitions" targetNamespace="http://bpmn.io/schema/bpmn">`;

/** A file of the Camunda Modeler: the inside of each process by its id, and what stands beside them. */
export function camundaModel(processes: Readonly<Record<string, string>>, roots = ''): string {
  const all = Object.entries(processes).map(
    ([id, inside]) =>
      `<bpmn:process id="${id}" name="The ${id}" isExecutable="true" camunda:historyTimeToLive="P30D">${inside}</bpmn:process>`,
  );
  return `${head}${all.join('')}${roots}</bpmn:definitions>`;
}

/** Elements in a row, from a start event to an end event. `middle`: elements by their ids. */
export function inARow(
  middle: Readonly<Record<string, string>>,
  start = '<bpmn:startEvent id="start"/>',
): string {
  const ids = ['start', ...Object.keys(middle), 'end'];
  const flows = ids.slice(1).map((id, index) => {
    const source = ids[index] ?? '';
    return `<bpmn:sequenceFlow id="${source}-${id}" sourceRef="${source}" targetRef="${id}"/>`;
  });
  return `${start}${Object.values(middle).join('')}<bpmn:endEvent id="end"/>${flows.join('')}`;
}

export function externalTask(id: string, topic: string, inside = ''): string {
  return `<bpmn:serviceTask id="${id}" camunda:type="external" camunda:topic="${topic}">${inside}</bpmn:serviceTask>`;
}

export function catchMessage(id: string, message: string): string {
  return `<bpmn:intermediateCatchEvent id="${id}"><bpmn:messageEventDefinition id="${id}-definition" messageRef="${message}"/></bpmn:intermediateCatchEvent>`;
}

export function messageStart(message: string): string {
  return `<bpmn:startEvent id="start"><bpmn:messageEventDefinition id="start-definition" messageRef="${message}"/></bpmn:startEvent>`;
}

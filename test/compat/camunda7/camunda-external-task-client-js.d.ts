/** What the tests use of the client, which comes without types. */
declare module 'camunda-external-task-client-js' {
  export interface TypedValue {
    readonly type: string;
    readonly value: unknown;
    readonly valueInfo?: Readonly<Record<string, unknown>>;
  }

  export class Variables {
    constructor(initial?: Readonly<Record<string, TypedValue>>);
    get(name: string): unknown;
    getAll(): Readonly<Record<string, unknown>>;
    getAllTyped(): Readonly<Record<string, TypedValue>>;
    getTyped(name: string): TypedValue | null;
    set(name: string, value: unknown): this;
    setAll(values: Readonly<Record<string, unknown>>): this;
    setTransient(name: string, value: unknown): this;
    setTyped(name: string, typed: TypedValue): this;
  }

  export class File {
    constructor(options: {
      readonly localPath: string;
      readonly mimetype?: string;
      readonly encoding?: string;
    });
    readonly filename: string;
    readonly mimetype?: string;
    readonly encoding?: string;
    readonly content: Buffer;
    load(): Promise<this>;
  }

  export interface ClientTask {
    readonly id: string;
    readonly topicName: string;
    readonly processInstanceId: string;
    readonly businessKey: string | null;
    readonly retries: number | null;
    readonly errorMessage: string | null;
    readonly variables: Variables;
  }

  export interface TaskService {
    complete(task: ClientTask | string, variables?: Variables, localVariables?: Variables): Promise<void>;
    handleFailure(task: ClientTask | string, options?: Readonly<Record<string, unknown>>): Promise<void>;
    handleBpmnError(
      task: ClientTask | string,
      code: string,
      message?: string,
      variables?: Variables,
    ): Promise<void>;
    lock(task: ClientTask | string, duration: number): Promise<void>;
    extendLock(task: ClientTask | string, duration: number): Promise<void>;
    unlock(task: ClientTask | string): Promise<void>;
  }

  export interface Handling {
    readonly task: ClientTask;
    readonly taskService: TaskService;
  }

  /** What the server refused, as the client throws it. */
  export interface EngineError extends Error {
    readonly httpStatusCode: number;
    readonly type: string;
    readonly code: unknown;
    readonly engineMsg: string;
  }

  export class Client {
    constructor(options: Readonly<Record<string, unknown>>);
    readonly taskService: TaskService;
    subscribe(
      topic: string,
      options: Readonly<Record<string, unknown>>,
      handler: (handling: Handling) => unknown,
    ): { unsubscribe(): void };
    subscribe(topic: string, handler: (handling: Handling) => unknown): { unsubscribe(): void };
    on(event: string, listener: (...args: readonly unknown[]) => void): this;
    start(): void;
    stop(): void;
  }
}

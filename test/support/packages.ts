/** Small packages for tests, written as the inside of a process and a list of channels. */

const head = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:q="urn:sutra:q:1.0" id="defs" targetNamespace="urn:test">`;

export interface TestPackage {
  readonly module?: string;
  readonly version?: string;
  /** YAML list items. */
  readonly channels: string;
  /** The XML inside each process, by process id. */
  readonly processes: Readonly<Record<string, string>>;
  /** Before the processes: messages, errors. */
  readonly definitions?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export function packageFiles(test: TestPackage): Record<string, string> {
  const files: Record<string, string> = {
    'package.yaml': `labels: { tenant: test, module: ${test.module ?? 'main'}, version: ${test.version ?? '1.0.0'} }\n`,
    'channels.yaml': `channels:\n${test.channels}\n`,
    ...test.files,
  };
  for (const [id, inside] of Object.entries(test.processes)) {
    files[`bpmn/${id}.bpmn`] =
      `${head}${test.definitions ?? ''}<process id="${id}" isExecutable="true">${inside}</process></definitions>\n`;
  }
  return files;
}

/** `a -> b` flows in one line: `flows('start -> call', 'call -> end')`. */
export function flows(...pairs: readonly string[]): string {
  return pairs
    .map((pair) => {
      const [source, target] = pair.split('->').map((part) => part.trim());
      return `<sequenceFlow id="${source ?? ''}-to-${target ?? ''}" sourceRef="${source ?? ''}" targetRef="${target ?? ''}"/>`;
    })
    .join('');
}

/** A start event on a channel. `inside` goes into its extension elements. */
export function start(channel: string, inside = '', attributes = ''): string {
  return `<startEvent id="start"><extensionElements><q:source channel="${channel}" ${attributes}/>${inside}</extensionElements><messageEventDefinition id="start-message"/></startEvent>`;
}

export function call(id: string, channel: string, inside = ''): string {
  return `<serviceTask id="${id}" implementation="channel:${channel}"><extensionElements>${inside}</extensionElements></serviceTask>`;
}

/** HTTP in, one call on a pull channel, end. */
export function simpleOrder(version = '1.0.0'): Record<string, string> {
  return packageFiles({
    version,
    channels: `  - { name: orders, transport: http, bind: "POST /channels/orders", ack-mode: on-persist }
  - { name: work, transport: pull }`,
    processes: {
      order: `${start('orders')}${call('work-it', 'work')}<endEvent id="end"/>${flows('start -> work-it', 'work-it -> end')}`,
    },
  });
}

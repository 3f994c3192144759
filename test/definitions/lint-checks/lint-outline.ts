/** Findings of lint in short, and packages of processes that were built by hand. */
import assert from 'node:assert/strict';
import type { Finding } from '../../../config/engine-error.ts';
import type { LintCheck, LintContext, ProcessCheck } from '../../../definitions/lint-checks/lint-check.ts';
import type { ProcessDefinition } from '../../../definitions/model.ts';
import type { ChannelDefinition, PackageModel } from '../../../definitions/package-model.ts';
import { place } from '../../support/model-parts.ts';

/** `CODE id`: the code's last part, and the id that the sentence begins with or names first. */
export function outline(findings: readonly Finding[]): readonly string[] {
  return findings
    .map(({ code, severity, message }) => {
      assert.equal(severity, 'warning');
      assert.match(message, /^[A-Za-z].{30,}[^.]\.$/s, 'one sentence');
      return `${code.slice('SUTRA.LINT.'.length)} ${/"([^"]*)"/.exec(message)?.[1] ?? ''}`;
    })
    .toSorted();
}

export function assertProcess(
  check: ProcessCheck,
  process: ProcessDefinition,
  expected: readonly string[],
): void {
  const findings = check(process);
  assert.deepEqual(outline(findings), expected.toSorted(), JSON.stringify(findings, null, 1));
}

export function assertPackage(
  check: LintCheck,
  model: PackageModel,
  expected: readonly string[],
  context: LintContext = { operator: null },
): void {
  const findings = check(model, context);
  assert.deepEqual(outline(findings), expected.toSorted(), JSON.stringify(findings, null, 1));
}

/** `name transport direction`, and more keys of the channel. */
type ChannelSpec = string | readonly [string, Partial<ChannelDefinition>];

export function packageOf(
  processes: readonly ProcessDefinition[],
  channels: readonly ChannelSpec[],
): PackageModel {
  return {
    identity: { tenant: 'acme', module: 'm', version: '1' },
    deploymentId: 'dep-1',
    channels: new Map(channels.map(channelOf).map((channel) => [channel.name, channel])),
    processes: new Map(processes.map((process) => [process.id, process])),
    schemas: new Map(),
    files: [],
  };
}

function channelOf(spec: ChannelSpec): ChannelDefinition {
  const [text, more] = typeof spec === 'string' ? [spec, {}] : spec;
  const [name = '', transport = '', direction = 'both'] = text.split(' ');
  assert.ok(direction === 'inbound' || direction === 'outbound' || direction === 'both');
  return {
    name,
    transport,
    direction,
    bind: '',
    codec: null,
    schemaName: null,
    ackMode: 'on-persist',
    dedupKey: null,
    isBroadcast: false,
    maxConcurrentInstances: null,
    payloadCapBytes: null,
    auth: null,
    keepsDeadLetters: false,
    task: null,
    place,
    ...more,
  };
}

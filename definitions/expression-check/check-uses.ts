/** The static checks of all expressions of a package (feel/check/check-expression.ts). */
import type { Finding, Place } from '../../config/engine-error.ts';
import { quoteText } from '../../config/quote-text.ts';
import { checkExpression } from '../feel/check/check-expression.ts';
import { anyType } from '../feel/check/static-type.ts';
import type { ProcessDefinition } from '../model.ts';
import type { PackageModel } from '../package-model.ts';
import { CheckedProcess } from './checked-process.ts';
import { expectations, type ChannelExpression, type ModelExpression } from './expression-use.ts';
import { messageNames, PayloadTypes } from './payload-types.ts';

/** A person corrects tens of faults, not thousands. */
const MAX_FINDINGS = 500;

export interface CheckedParts {
  readonly channels: PackageModel['channels'];
  readonly schemas: PackageModel['schemas'];
  readonly processes: Iterable<ProcessDefinition>;
  readonly channelExpressions: readonly ChannelExpression[];
  readonly modelExpressions: readonly ModelExpression[];
}

/** In no order. */
export function checkUses(parts: CheckedParts): readonly Finding[] {
  const payloads = new PayloadTypes(parts.channels, parts.schemas);
  const findings: Finding[] = [];
  for (const use of parts.channelExpressions) {
    if (findings.length >= MAX_FINDINGS) break;
    findings.push(...checkChannelExpression(use, payloads));
  }
  const processes = [...parts.processes].map((process) => new CheckedProcess(process, payloads));
  const owners = ownersOf(processes);
  for (const use of parts.modelExpressions) {
    if (findings.length >= MAX_FINDINGS) break;
    const { file, elementId } = use.placeAt(0);
    const owner = owners.get(ownerKey(file, elementId));
    if (owner !== undefined) findings.push(...owner.check(use, elementId ?? ''));
  }
  return findings.length < MAX_FINDINGS ? findings : cutOff(findings.slice(0, MAX_FINDINGS));
}

function cutOff(findings: readonly Finding[]): readonly Finding[] {
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  const message = `Of the findings in expressions no more than ${MAX_FINDINGS} are listed; correct these first.`;
  const severity = hasErrors ? 'error' : 'warning';
  return [...findings, { code: 'SUTRA.BPMN.TOO_MANY_FINDINGS', severity, message, place: {} }];
}

function checkChannelExpression(use: ChannelExpression, payloads: PayloadTypes): readonly Finding[] {
  const { role, channel, expression } = use;
  const payload = role === 'dedupKey' ? payloads.of(channel, null) : anyType;
  const names = messageNames(payload);
  // A priority is that of a request, which is no event.
  if (role === 'priority') names.delete('event');
  const scope = { names, unknownNames: 'error' } as const;
  const { findings } = checkExpression(expression.tree, scope, expectations[role]);
  const key = role === 'dedupKey' ? 'dedup-key' : 'priority';
  return findings.map(({ code, severity, message, from }) => ({
    code,
    severity,
    message: `${key} of channel ${quoteText(channel)}: ${message}${message.endsWith('?') ? '' : '.'}`,
    place: use.placeAt(from),
  }));
}

/** Elements are told apart by their ids within a file. */
function ownerKey(file: Place['file'], elementId: Place['elementId']): string {
  return JSON.stringify([file ?? '', elementId ?? '']);
}

function ownersOf(processes: readonly CheckedProcess[]): ReadonlyMap<string, CheckedProcess> {
  const owners = new Map<string, CheckedProcess>();
  for (const checked of processes) {
    const { id, place, nodes, flows } = checked.process;
    for (const elementId of [id, ...nodes.keys(), ...flows.keys()]) {
      owners.set(ownerKey(place.file, elementId), checked);
    }
  }
  return owners;
}

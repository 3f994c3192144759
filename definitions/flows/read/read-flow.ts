/**
 * A file of `flows/` as a flow.
 *
 * R1 Every fault of the file is reported with line and column, expressions included; one hides another only where a
 *    value has no form in which the rest could be read.
 * R2 Whatever the file holds, it is read to an end: nothing is thrown.
 */
import type { Finding } from '../../../config/engine-error.ts';
import { quoteText } from '../../../config/quote-text.ts';
import type { PackageFile } from '../../package-file.ts';
import { isXmlName } from '../../xml/schema-values.ts';
import type { Written } from '../../written.ts';
import { YamlFile, type YamlCodes } from '../../yaml-reader.ts';
import type { Flow, Start } from '../flow.ts';
import { assignIds } from './ids.ts';
import { FlowMapping } from './value.ts';
import { refuseUnknownTries } from './undone.ts';
import { readForm } from './forms.ts';
import { stepsReader } from './steps.ts';
import { PendingId } from '../step-ids.ts';
import { flowForm } from './vocabulary.ts';

export interface FlowReading {
  /** Null exactly when a finding is an error. */
  readonly flow: Flow | null;
  readonly findings: readonly Finding[];
}

const yamlCodes: YamlCodes = {
  yamlInvalid: 'SUTRA.FLOWS.YAML_INVALID',
  keyUnknown: 'SUTRA.FLOWS.KEY_UNKNOWN',
  keyMissing: 'SUTRA.FLOWS.KEY_MISSING',
  valueInvalid: 'SUTRA.FLOWS.VALUE_INVALID',
};

/** A step in a case in a choice is four levels below the choice. What reads and checks flows recurses. */
const MAX_DEPTH = 64;

export function readFlow(file: PackageFile): FlowReading {
  const yaml = new YamlFile(file, yamlCodes, { maxDepth: MAX_DEPTH });
  const root = yaml.rootNode('a flow');
  const flow = root === null ? null : readRoot(yaml, FlowMapping.of(yaml, root, 'the flow'));
  const isRefused = yaml.findings.some(({ severity }) => severity === 'error');
  return { flow: isRefused ? null : flow, findings: yaml.findings };
}

function readRoot(file: YamlFile, root: FlowMapping): Flow | null {
  const values = readForm(root, flowForm, stepsReader);
  if (values === null) return null;
  const { starts, steps } = values.steps;
  const flow: Flow = {
    id: values.id ?? idFromName(file, root),
    name: values.name,
    place: root.place,
    ...(values.audit === null ? {} : { audit: values.audit }),
    variables: values.variables ?? [],
    starts: starts.length > 0 ? starts : [startById(root)],
    steps,
  };
  assignIds(flow, file);
  // What has a fault is not in the tree, and would be missed.
  if (file.findings.length === 0) refuseUnknownTries(flow, file);
  return flow;
}

function startById({ place }: FlowMapping): Start {
  return { id: new PendingId(place), name: null, place, trigger: null, aliases: [] };
}

/** The file's name without its folder and its ending. */
function idFromName(file: YamlFile, root: FlowMapping): Written {
  const text = (file.path.split('/').at(-1) ?? '').replace(/\.ya?ml$/i, '');
  if (!isXmlName(text) && !root.has('id')) {
    const message = `the file's name, ${quoteText(text)}, is no id of a process; write one with the key id`;
    root.error('SUTRA.FLOWS.ID_NEEDED', message);
  }
  return { text, place: root.place, inside: root.place };
}

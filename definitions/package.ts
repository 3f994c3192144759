/**
 * Files in, one checked and immutable model out.
 *
 * P1 A model exists only without error findings; warnings come along.
 * P2 All faults of all files are reported, not the first.
 * P3 The result depends on the files (and, without `package.yaml`, on the folder's name) alone: every
 *    replica compiles the same model under the same id.
 */
import type { Finding } from '../config/engine-error.ts';
import { quoteText } from '../config/quote-text.ts';
import { type BpmnOptions, compileBpmn } from './bpmn/compile.ts';
import { readChannels, type ChannelsReading, type TaskCeilings } from './channels/read-channels.ts';
import { addWishedChannels } from './channels/wished-channels.ts';
import { crossCheck } from './cross-check.ts';
import { DecisionDirectory } from './decision-directory.ts';
import type { ChannelWish } from './dialects/dialect-context.ts';
import { compileDecisions } from './dmn/decisions.ts';
import { checkUses } from './expression-check/check-uses.ts';
import type { ModelExpression } from './expression-check/expression-use.ts';
import { compileFlow } from './flows/compile-flow.ts';
import { deploymentIdOf, readIdentity, withLabels } from './identity.ts';
import type { ProcessDefinition } from './model.ts';
import { isFlow, layOut } from './package-layout.ts';
import type { PackageFile, PackageIdentity, PackageModel } from './package-model.ts';
import { readSchemas } from './schemas.ts';
import { withSensitiveNames } from './sensitive-names.ts';

export type { TaskCeilings } from './channels/read-channels.ts';

export interface CompileOptions {
  /** `tenant--module--version`, for a package without `package.yaml`. */
  readonly folderName?: string;
  /** Without them, task policies are not held against the operator's ceilings. */
  readonly ceilings?: TaskCeilings;
}

export interface CompiledPackage {
  /** Null when there is at least one error among the findings. */
  readonly model: PackageModel | null;
  readonly findings: readonly Finding[];
}

/** Stands in while the labels are wrong, so that the other faults can be found all the same. */
const unknownIdentity: PackageIdentity = { tenant: 'unknown', module: 'unknown', version: 'unknown' };

/** A package may do without channels.yaml. */
const noChannels: ChannelsReading = { channels: new Map(), findings: [], isComplete: true, expressions: [] };

/** Compiles a package. Never throws for what is in the files. */
export function compilePackage(files: readonly PackageFile[], options: CompileOptions = {}): CompiledPackage {
  const layout = layOut(files);
  const labels = readIdentity(files, options.folderName);
  const findings: Finding[] = [...layout.findings, ...labels.findings];

  const { channels: declared, ...reading } =
    layout.channels === null
      ? noChannels
      : readChannels(layout.channels, labels.identity ?? unknownIdentity, options.ceilings ?? null);
  // Without the labels every written address would seem wrong.
  const isBindKnown = labels.identity !== null;
  findings.push(
    ...reading.findings.filter(({ code }) => isBindKnown || code !== 'SUTRA.CHANNELS.BIND_INVALID'),
  );

  const schemas = readSchemas(layout.schemas);
  findings.push(...schemas.findings);
  const decisions = readDecisions(layout.decisions, findings);
  const wishes: ChannelWish[] = [];
  const modelExpressions: ModelExpression[] = [];
  const bpmn = { decisions, ...labels.allowed };
  const processes = compileModels(layout.models, bpmn, { findings, wishes, expressions: modelExpressions });
  const { channels, findings: notes } = addWishedChannels(
    declared,
    wishes,
    labels.identity ?? unknownIdentity,
  );
  findings.push(...notes);
  if (reading.isComplete) findings.push(...crossCheck(channels, processes, schemas.schemas));
  findings.push(
    ...checkUses({
      channels,
      // Without all of them a payload would seem to be less than it is.
      schemas: schemas.findings.length === 0 ? schemas.schemas : new Map(),
      processes: processes.values(),
      channelExpressions: reading.expressions,
      modelExpressions,
    }),
  );

  const { identity } = labels;
  if (identity === null || findings.some(({ severity }) => severity === 'error'))
    return { model: null, findings };
  const allFiles = withLabels(files, identity);
  const model: PackageModel = {
    identity,
    deploymentId: deploymentIdOf(allFiles),
    channels,
    processes: withSensitiveNames(processes),
    schemas: schemas.schemas,
    files: allFiles,
  };
  return { model: Object.freeze(model), findings };
}

/** The id that a deployment of these files has, without compiling them. Null: the labels are wrong. */
export function packageIdOf(files: readonly PackageFile[], folderName: string): string | null {
  const { identity } = readIdentity(files, folderName);
  return identity === null ? null : deploymentIdOf(withLabels(files, identity));
}

function readDecisions(files: readonly PackageFile[], findings: Finding[]): DecisionDirectory {
  const compiled = compileDecisions(files);
  findings.push(...compiled.findings);
  const isComplete = compiled.findings.every(({ severity }) => severity !== 'error');
  return new DecisionDirectory(compiled.models, isComplete);
}

/** What models bring besides processes; added to. */
interface FoundInModels {
  readonly findings: Finding[];
  readonly wishes: ChannelWish[];
  readonly expressions: ModelExpression[];
}

function compileModels(
  models: readonly PackageFile[],
  options: BpmnOptions,
  { findings, wishes, expressions }: FoundInModels,
): Map<string, ProcessDefinition> {
  const processes = new Map<string, ProcessDefinition>();
  if (models.length === 0) {
    const message = 'The package has no model: there is no .bpmn file in bpmn/ and no .yaml file in flows/.';
    findings.push({ code: 'SUTRA.PACKAGE.MODEL_MISSING', severity: 'error', message, place: {} });
  }
  for (const file of models) {
    const compiled = isFlow(file) ? compileFlow(file, options) : compileBpmn(file, options);
    findings.push(...compiled.findings);
    expressions.push(...compiled.expressions);
    wishes.push(...compiled.wishes);
    for (const process of compiled.processes) {
      const twin = processes.get(process.id);
      if (twin === undefined) {
        processes.set(process.id, process);
        continue;
      }
      const message = `The process ${quoteText(process.id)} is already in ${twin.place.file ?? 'another file'}.`;
      findings.push({
        code: 'SUTRA.PACKAGE.PROCESS_DUPLICATE',
        severity: 'error',
        message,
        place: process.place,
      });
    }
  }
  return processes;
}

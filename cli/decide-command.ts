import { Command, Option } from 'commander';
import type { Finding } from '../config/engine-error.ts';
import { compileDecisions, type Decision, type DecisionProblem } from '../definitions/dmn/decisions.ts';
import { FeelEvaluationError, TurnBudget, TurnBudgetError } from '../definitions/feel.ts';
import type { FeelValue } from '../definitions/feel/runtime.ts';
import { formatFindings } from '../definitions/lint-format.ts';
import { ownProperty, type Context } from '../definitions/value.ts';
import { readDecisionFiles, readInputFile } from './decision-files.ts';
import { findDecision, readInputs, refuseUnknownInputs } from './decision-input.ts';
import { formatJson, toJsonValue } from './decision-output.ts';

interface DecideOptions {
  readonly input?: string;
  readonly inputFile?: string;
  readonly decision?: string;
  readonly json?: true;
}

/** A decision and what it gives. */
interface Outcome {
  readonly decision: Decision;
  readonly value: FeelValue;
  readonly problems: readonly DecisionProblem[];
}

export function decideCommand(): Command {
  return new Command('decide')
    .description(
      'Evaluate the decisions of a DMN file and print what they give, as JSON. Exit code 1 when the model or a decision has an error.',
    )
    .argument('<file>', 'the decision model; the models that it imports are looked for in its folder')
    .addOption(
      new Option(
        '--input <json>',
        'a JSON object: the inputs by name; one that is left out is null',
      ).conflicts('inputFile'),
    )
    .option('--input-file <file>', 'the same in a file')
    .option('--decision <name>', 'name or id of the only decision, service or knowledge model to evaluate')
    .option('--json', 'for programs: findings, and for each decision its value and its problems')
    .action(decide);
}

async function decide(file: string, options: DecideOptions): Promise<void> {
  const inputs = await inputsOf(options);
  const { models, findings } = compileDecisions(await readDecisionFiles(file));
  const model = models.find((each) => each.file === file);
  if (model === undefined || hasError(findings)) {
    print(findings, [], options);
    process.exitCode = 1;
    return;
  }
  const all = model.decisions.filter(({ kind }) => kind === 'decision');
  const chosen = options.decision === undefined ? all : [findDecision(options.decision, model.decisions)];
  refuseUnknownInputs(inputs, [...all, ...chosen]);
  const nowMs = Date.now();
  const outcomes = chosen.map((decision) => evaluate(decision, inputs, nowMs));
  print(findings, outcomes, options);
  if (outcomes.some(({ problems }) => hasError(problems))) process.exitCode = 1;
}

async function inputsOf({ input, inputFile }: DecideOptions): Promise<Context> {
  if (inputFile !== undefined) return readInputs(await readInputFile(inputFile));
  return readInputs(new TextEncoder().encode(input ?? '{}'));
}

function hasError(findings: readonly Finding[] | readonly DecisionProblem[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}

/** What costs too much has no value; that is an error like any other. */
function evaluate(decision: Decision, inputs: Context, nowMs: number): Outcome {
  try {
    const result = decision.evaluate((name) => ownProperty(inputs, name), new TurnBudget(nowMs));
    return { decision, ...result };
  } catch (error) {
    if (!(error instanceof FeelEvaluationError) && !(error instanceof TurnBudgetError)) throw error;
    const code = 'SUTRA.FEEL.EVALUATION_FAILED';
    const { message } = error;
    return { decision, value: null, problems: [{ severity: 'error', code, message, place: decision.place }] };
  }
}

function print(findings: readonly Finding[], outcomes: readonly Outcome[], options: DecideOptions): void {
  const results = outcomes.map(({ decision: { kind, id, name }, value, problems }) => {
    return { kind, id, name, value: toJsonValue(value), problems };
  });
  if (options.json === true) {
    process.stdout.write(`${formatJson({ findings, decisions: results })}\n`);
    return;
  }
  const said = withoutRepetitions([...findings, ...outcomes.flatMap(({ problems }) => problems)]);
  if (said.length > 0) process.stderr.write(`${formatFindings(said)}\n`);
  if (hasError(findings)) return;
  const [first] = results;
  const all = Object.fromEntries(results.map(({ name, value }) => [name, value]));
  process.stdout.write(`${formatJson(options.decision === undefined ? all : first?.value)}\n`);
}

/** What two decisions require is evaluated for each of them, and says the same twice. */
function withoutRepetitions(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}

/**
 * How many public models run, from the two tables that a test keeps and checks: `docs/models.md` says it.
 *
 * P1 A model that does not deploy is listed with its class and a reason; nothing else is.
 * P2 Negative tests and drawings run nowhere as they are: no other class is left out of a share.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT_DIR } from './code-tables.ts';

/** What keeps a model from being deployed, and what that means. */
export const REFUSAL_CLASSES = {
  'negative test': 'its project keeps it to be refused by its own engine',
  drawing:
    'it leaves open what BPMN needs to run it (conditions, messages, timers): somebody decides by hand, or code does',
  'other language': 'conditions or values in JavaScript, Groovy, Java, MVEL, XPath or JSONPath',
  'code of the host': 'conditions, names or values from beans and functions of the program around the engine',
  'other file missing': 'it needs a file that its project keeps elsewhere',
  'not executed here': 'it asks for something that this engine does not have, or that BPMN does not allow',
} as const;

export type RefusalClass = keyof typeof REFUSAL_CLASSES;

/** Classes of models that the engine they were made for does not run either, as they are. */
const RUN_NOWHERE: ReadonlySet<RefusalClass> = new Set(['negative test', 'drawing']);

/** `deploys`, or the codes of the errors. */
export interface PublicModel {
  readonly path: string;
  readonly isExecutable: boolean;
  /** In a package that allows nothing. */
  readonly alone: string;
  /** In one with `unbound-tasks: external-task` and `listeners: ignore`. */
  readonly allowed: string;
  /** As `allowed`, with stand-ins for decisions whose files are not there. */
  readonly withDecisions: string;
}

export interface Refusal {
  readonly path: string;
  readonly refusalClass: RefusalClass;
  readonly reason: string;
}

export const OUTCOMES_FILE = 'test/definitions/bpmn/corpus-outcomes.tsv';
export const REFUSALS_FILE = 'test/definitions/bpmn/corpus-refusals.tsv';
export const DEPLOYS = 'deploys';

export function readPublicModels(): readonly PublicModel[] {
  return rowsOf(OUTCOMES_FILE).map(
    ([path = '', executable, alone = '', allowed = '', withDecisions = '']) => ({
      path,
      isExecutable: executable === 'yes',
      alone,
      allowed,
      withDecisions,
    }),
  );
}

export function readRefusals(): readonly Refusal[] {
  return rowsOf(REFUSALS_FILE).map(([path = '', refusalClass = '', reason = '']) => {
    if (!isRefusalClass(refusalClass)) throw new Error(`${path}: no class ${JSON.stringify(refusalClass)}`);
    return { path, refusalClass, reason };
  });
}

function isRefusalClass(text: string): text is RefusalClass {
  return Object.hasOwn(REFUSAL_CLASSES, text);
}

function rowsOf(file: string): readonly (readonly string[])[] {
  const [, ...lines] = readFileSync(join(ROOT_DIR, file), 'utf8').trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}

export interface Share {
  readonly deployed: number;
  readonly of: number;
}

export interface PublicShares {
  readonly alone: Share;
  readonly allowed: Share;
  readonly withDecisions: Share;
  /** As `withDecisions`, of those that the engine they were made for runs. */
  readonly runElsewhere: Share;
}

/** Of the models that say that they are executable. */
export function publicShares(): PublicShares {
  const models = readPublicModels().filter(({ isExecutable }) => isExecutable);
  const runNowhere = readRefusals().filter(({ refusalClass }) => RUN_NOWHERE.has(refusalClass)).length;
  const shareOf = (column: 'alone' | 'allowed' | 'withDecisions'): Share => ({
    deployed: models.filter((model) => model[column] === DEPLOYS).length,
    of: models.length,
  });
  const withDecisions = shareOf('withDecisions');
  return {
    alone: shareOf('alone'),
    allowed: shareOf('allowed'),
    withDecisions,
    runElsewhere: { deployed: withDecisions.deployed, of: withDecisions.of - runNowhere },
  };
}

/** In hundredths, rounded down: a share is never said to be more than it is. */
export function percentOf({ deployed, of }: Share): number {
  return Math.floor((deployed * 100) / of);
}

/** Lists of steps, and the table from verb to builder: a verb without a row does not compile. */
import { shown } from '../../xml/shown.ts';
import { buildCall, buildDecide, buildFlow, buildSet } from './activities.ts';
import { buildChoose, buildParallel, buildWaitFirst } from './branches.ts';
import type { BuildContext } from './context.ts';
import {
  buildCompensate,
  buildEnd,
  buildEscalate,
  buildFail,
  buildReply,
  buildSend,
  buildSignal,
  buildWait,
} from './events.ts';
import { buildForEach, buildRepeat } from './parts.ts';
import { ScopeDraft, type Path } from './scope.ts';
import type { Outcome, Site, StepBuilder, StepOf } from './site.ts';
import { buildTry } from './try.ts';
import type { Step, Steps, Verb } from '../flow.ts';

const builders: { readonly [V in Verb]: StepBuilder<V> } = {
  call: buildCall,
  send: buildSend,
  reply: buildReply,
  signal: buildSignal,
  escalate: buildEscalate,
  compensate: buildCompensate,
  wait: buildWait,
  'wait-first': buildWaitFirst,
  choose: buildChoose,
  parallel: buildParallel,
  'for-each': buildForEach,
  repeat: buildRepeat,
  decide: buildDecide,
  set: buildSet,
  try: buildTry,
  flow: buildFlow,
  end: buildEnd,
  fail: buildFail,
};

/** A scope to build steps into. */
export function openSite(context: BuildContext): Site {
  const site: Site = {
    context,
    scope: new ScopeDraft(context),
    steps: (steps, from) => buildSteps(site, steps, from),
    inner: () => openSite(context),
  };
  return site;
}

function buildSteps(site: Site, steps: Steps, from: Path): Outcome {
  let open: Path | null = from;
  let mayEnd = false;
  let last: Step | null = null;
  for (const step of steps) {
    if (open === null) {
      reportUnreachable(site, step, last);
      break;
    }
    const outcome: Outcome = buildStep(site, step.verb, step, open);
    open = outcome.open;
    mayEnd ||= outcome.mayEnd;
    last = step;
  }
  return { open, mayEnd };
}

/** `verb` is the step's. */
function buildStep<V extends Verb>(site: Site, verb: V, step: StepOf<V>, from: Path): Outcome {
  return builders[verb](site, step, from);
}

/** Those behind it cannot be reached either, and nobody needs to be told. */
function reportUnreachable({ context }: Site, { id, place }: Step, last: Step | null): void {
  const ended = last === null ? 'the flow' : `every way through ${shown(last.id.text)}`;
  context.findings.push({
    code: 'SUTRA.FLOWS.UNREACHABLE',
    severity: 'error',
    message: `${ended} has ended before ${shown(id.text)}, so nothing leads there; remove it, or what ends the flow.`,
    place: { ...place(), elementId: id.text },
  });
}

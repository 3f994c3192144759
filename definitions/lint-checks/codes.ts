/** The codes of what lint finds in a package that compiles. All are warnings: nothing is refused for them. */
import type { CodeRow, CodeTable } from '../../config/engine-error.ts';

/** Every row: lint alone says it, and a deployment takes the package all the same. */
function row(meaning: string, remedy: string): CodeRow {
  return { httpStatus: 422, retry: 'after-change', meaning, remedy };
}

export const lintCodes = {
  'SUTRA.LINT.DEFAULT_MISSING': row(
    'Every flow out of a flow node has a condition, and none is the default: when no condition holds the instance fails there.',
    'Set `default` to one of the flows, or write conditions of which one always holds.',
  ),
  'SUTRA.LINT.DEAD_END': row(
    'A path stops at a flow node that is no end event, beside paths that end at one; or a boundary event leads nowhere.',
    'Lead a sequence flow from it to what comes next, or to an end event.',
  ),
  'SUTRA.LINT.LOOP_ENDLESS': row(
    'Flow nodes lead to each other in a circle that has no way out and in which nothing waits: the turn that gets there fails at its limit.',
    'Lead a flow out of the loop, or let it wait for a timer or a message.',
  ),
  'SUTRA.LINT.JOIN_NEVER_FIRES': row(
    'A parallel gateway waits for tokens on flows that can never have them at the same time.',
    'Join alternatives, and loops, with an exclusive gateway.',
  ),
  'SUTRA.LINT.BRANCHES_NOT_JOINED': row(
    'Parallel branches meet at an exclusive gateway, which lets each token pass: what follows runs once for each branch.',
    'Join the branches with a parallel gateway.',
  ),
  'SUTRA.LINT.BOUNDARY_NEVER_OCCURS': row(
    'A boundary event waits for what cannot happen at its activity: it is done at once, or can throw nothing of the kind.',
    'Attach the event to the activity that waits or throws, or remove it.',
  ),
  'SUTRA.LINT.TIMER_VALUE': row(
    'An expression of a timer always gives the same value, and that is no ISO-8601 time of its kind.',
    'Write a duration as PT5M, a date with an offset as 2026-05-01T09:30:00Z, a cycle as R3/PT10S.',
  ),
  'SUTRA.LINT.NOTHING_ARRIVES': row(
    'A model takes messages from a channel of the module itself, and nothing in the package sends to it.',
    'Send to the channel, or take the messages from one that others can reach.',
  ),
  'SUTRA.LINT.WAIT_WITHOUT_KEY': row(
    'A wait for a message can be found by nothing: no alias has a value there, and the instance sends nothing whose key could be echoed.',
    'Give the wait a `q:alias`, and register its value when the instance starts.',
  ),
  'SUTRA.LINT.ALIAS_CONSTANT': row(
    'An alias has the same value in every instance.',
    'Make its expression of what tells instances apart; or write `multi="true"`, if a message is for all that wait.',
  ),
  'SUTRA.LINT.ALIAS_SHARED': row(
    'Two processes of the module register a unique alias of the same name, so a value that one holds refuses the start of the other.',
    'Give each process a name of its own for its alias.',
  ),
  'SUTRA.LINT.TRANSIENT_LOST': row(
    'An expression reads a transient variable where it is never there any more: the instance has waited since it was written.',
    'Read it before the wait, or do not make it transient.',
  ),
  'SUTRA.LINT.CHANNEL_UNUSED': row(
    'channels.yaml declares a channel that no model uses.',
    'Use the channel or remove it.',
  ),
  'SUTRA.LINT.VARIABLE_UNUSED': row(
    'A variable is declared, or written by a script or a decision, and nothing reads it.',
    'Read it or remove it.',
  ),
  'SUTRA.LINT.TIMEOUT_TOO_SHORT': row(
    'A call is given up before a task of its channel can be tried a second time, so its retries are never used.',
    'Make `q:timeout` longer, or `lock-duration` and `retry-timeout` of the channel shorter.',
  ),
  'SUTRA.LINT.PAYLOAD_CAP_OVER_CEILING': row(
    'A channel allows payloads that are larger than the operator allows.',
    'Lower `payload-cap-bytes`, or have the operator raise sutra.codec.max-payload-bytes.',
  ),
} as const satisfies CodeTable;

export type LintCode = keyof typeof lintCodes;

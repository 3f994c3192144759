/**
 * Tasks whose work is code of another engine, or is not given: refused, or external tasks when package.yaml says so.
 */
import { shown } from '../xml/shown.ts';
import { type DialectContext, labelOf, made } from './dialect-context.ts';
import type { ElementDraft } from './element-draft.ts';
import { makeCall, silence } from './task-drafts.ts';
import { type Written, part, trimmed } from '../written.ts';

/** What the work of a task is in the author's file. */
export interface UnboundWork {
  /** As `camunda:class "org.example.Pay"`. */
  readonly what: string;
  readonly at: Written;
  /** The channel on which a worker does it; null: one named after the process and the element. */
  readonly channel: Written | null;
}

const REMEDY =
  'make it an external task (camunda:type="external" camunda:topic="…", or implementation="channel:…") and run its code in a worker';

/** Refuses the task, or lets workers do it. True when it has become an external task. */
export function bindUnbound(context: DialectContext, draft: ElementDraft, work: UnboundWork): boolean {
  const { report } = context;
  const place = { ...work.at.place(), ...(draft.id === '' ? {} : { elementId: draft.id }) };
  if (context.unboundTasks === 'refuse') {
    const message = `${work.what} of ${labelOf(draft.base)} is code of another engine and is not run; ${REMEDY}; or say unbound-tasks: external-task in package.yaml`;
    report.at('SUTRA.DIALECT.CODE_NOT_EXECUTED', place, message);
    silence(context, draft);
    return false;
  }
  const channel = work.channel ?? ownChannel(context, draft);
  const message = `${labelOf(draft.base)} is an external task on the channel ${shown(channel.text)}: a worker does what ${work.what} did`;
  report.warningAt('SUTRA.DIALECT.TASK_UNBOUND', place, message);
  makeCall(context, draft, channel);
  return true;
}

export function ownChannel(context: DialectContext, draft: ElementDraft): Written {
  const ids = [context.processId, draft.id].filter((id) => id !== '');
  return made(context, draft.base, ids.join('.'));
}

/** The channel of a class or of a bean: its name. Null: it is an expression that says more. */
export function channelOfCode(code: Written): Written | null {
  const name = trimmed(code);
  if (/^[\w$.-]{1,255}$/.test(name.text)) return name;
  const [, bean] = /^[$#]\{\s*([\w.-]{1,255})\s*\}$/.exec(name.text) ?? [];
  if (bean === undefined) return null;
  const start = name.text.indexOf(bean, 2);
  return part(name, start, start + bean.length);
}

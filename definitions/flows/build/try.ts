/**
 * `try`: a sub-process, a boundary event for each handler, and what undoes it.
 *
 * T1 A handler that interrupts goes on behind the step, as what it interrupts would have.
 * T2 A handler that does not interrupt is beside the step: it ends by itself, and nothing waits for it.
 */
import type { XmlElement } from '../../xml/document.ts';
import { made } from './context.ts';
import { addedNode, insideOf, joined, nodeOf, type Outcome, type Site, type StepBuilder } from './site.ts';
import { timerOf } from './triggers.ts';
import { caughtOf } from './vocabulary.ts';
import type { Handler, TryStep } from '../flow.ts';

export const buildTry: StepBuilder<'try'> = (site, step, from) => {
  const children = insideOf(site, step, step.steps);
  const done = site.scope.add(nodeOf(step, 'subProcess', { children }), [from]);
  const handled = step.handlers.flatMap((handler) => buildHandler(site, step, handler) ?? []);
  buildCompensation(site, step);
  const open = joined(site, step, 'exclusiveGateway', [{ open: done, mayEnd: false }, ...handled]);
  return { open, mayEnd: handled.some(({ mayEnd }) => mayEnd) };
};

/** Null: it is beside the step. */
function buildHandler(site: Site, step: TryStep, handler: Handler): Outcome | null {
  const isInterrupting = handler.kind === 'error' || handler.isInterrupting;
  const attributes = {
    attachedToRef: made(handler.place, step.id.text),
    cancelActivity: isInterrupting ? null : made(handler.place, 'false'),
  };
  const event = nodeOf(handler, 'boundaryEvent', { attributes, children: [caught(site, handler)] });
  const outcome = site.steps(handler.steps, site.scope.add(event, []));
  if (isInterrupting) return outcome;
  if (outcome.open !== null) {
    site.scope.add(addedNode(site, handler, 'endEvent', ['-end', 'the end']), [outcome.open]);
  }
  return null;
}

function caught({ context }: Site, handler: Handler): XmlElement {
  const { make, roots } = context;
  if (handler.kind === 'timeout') return timerOf(context, handler.timer);
  const { kind, code, codeVariable, place } = handler;
  const taken = caughtOf(make, codeVariable, kind === 'error' ? handler.messageVariable : null);
  const at = code ?? made(place);
  return make.bpmn(
    `${kind}EventDefinition`,
    at,
    { [`${kind}Ref`]: code === null ? null : roots.reference(kind, code) },
    taken.length === 0 ? [] : [make.bpmn('extensionElements', at, {}, taken)],
  );
}

/** A boundary event that an association joins with a sub-process of its own. BPMN 2.0.2 §10.7. */
function buildCompensation(site: Site, step: TryStep): void {
  if (step.compensation === null) return;
  const { make, ids } = site.context;
  const { place, steps } = step.compensation;
  const owner = { ...step, name: null, place };
  const event = addedNode(site, owner, 'boundaryEvent', ['-compensation', 'the compensation event'], {
    attributes: { attachedToRef: made(place, step.id.text) },
    children: [make.bpmn('compensateEventDefinition', made(place))],
  });
  const undo = addedNode(site, owner, 'subProcess', ['-undo', 'the compensation'], {
    attributes: { isForCompensation: made(place, 'true') },
    children: insideOf(site, owner, steps, '-undo'),
  });
  site.scope.add(event, []);
  site.scope.add(undo, []);
  const id = ids.free(`${event.id.text}-to-${undo.id.text}`);
  site.scope.addArtifact(
    make.bpmn('association', made(place), {
      id: made(place, id),
      associationDirection: made(place, 'One'),
      sourceRef: made(place, event.id.text),
      targetRef: made(place, undo.id.text),
    }),
  );
}

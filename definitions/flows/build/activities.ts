/** Steps that are one activity of BPMN. */
import { joined, type Written } from '../../written.ts';
import type { XmlElement } from '../../xml/document.ts';
import { made } from './context.ts';
import { nodeOf, through, type StepBuilder } from './site.ts';
import { aliasesOf, headersOf, outputOf, paramsOf, retryOf, sourceOf } from './vocabulary.ts';

const FUNCTION_PREFIX = 'registered:';

export const buildCall: StepBuilder<'call'> = (site, step, from) => {
  const { make } = site.context;
  const { target, timeout, response } = step;
  const extensions = [
    ...paramsOf(make, step.input),
    ...outputOf(make, step.output),
    ...headersOf(make, step.headers),
    ...(timeout === null ? [] : [make.q('timeout', timeout, { duration: timeout })]),
    ...retryOf(make, step.retry),
    ...(response === null ? [] : [sourceOf(make, response)]),
    ...aliasesOf(make, step.aliases),
    ...step.throws.map(({ code, when }) => make.q('throw', code, { code, when })),
  ];
  const implementation = target.text.startsWith(FUNCTION_PREFIX) ? target : prefixed('channel:', target);
  return through(site, nodeOf(step, 'serviceTask', { attributes: { implementation }, extensions }), from);
};

export const buildDecide: StepBuilder<'decide'> = (site, step, from) => {
  const { make } = site.context;
  const implementation = prefixed('decision:', step.decision);
  const extensions = [...paramsOf(make, step.input), ...outputOf(make, step.output)];
  return through(
    site,
    nodeOf(step, 'businessRuleTask', { attributes: { implementation }, extensions }),
    from,
  );
};

/** A task that calls nothing: only its data associations run. */
export const buildSet: StepBuilder<'set'> = (site, step, from) => {
  const { make } = site.context;
  const children = step.assignments.map(({ name, value }): XmlElement => {
    const parts = [make.bpmnText('from', value), make.bpmnText('to', name)];
    return make.bpmn('dataOutputAssociation', made(name.place), {}, [
      make.bpmn('assignment', made(name.place), {}, parts),
    ]);
  });
  return through(site, nodeOf(step, 'serviceTask', { children }), from);
};

export const buildFlow: StepBuilder<'flow'> = (site, step, from) => {
  const { make } = site.context;
  const extensions = [
    ...paramsOf(make, step.input),
    ...step.output.map(({ name, value }) => make.q('output', name, { variable: name, expression: value })),
  ];
  const attributes = { calledElement: step.process };
  return through(site, nodeOf(step, 'callActivity', { attributes, extensions }), from);
};

function prefixed(prefix: string, written: Written): Written {
  return joined(written, [prefix, written]);
}

/** `compensate` names a `try` of the flow that says how it is undone. */
import { nearestName } from '../../nearest-name.ts';
import { shown } from '../../xml/shown.ts';
import type { Written } from '../../written.ts';
import type { YamlFile } from '../../yaml-reader.ts';
import { partsOf } from '../flow-parts.ts';
import type { Flow, Steps } from '../flow.ts';

export function refuseUnknownTries(flow: Flow, file: YamlFile): void {
  const undoable: string[] = [];
  const targets: Written[] = [];
  collect(flow.steps, undoable, targets);
  for (const target of targets) {
    if (undoable.includes(target.text)) continue;
    const near = nearestName(target.text, undoable);
    const help =
      undoable.length === 0
        ? 'no try of this flow has compensate'
        : `those are ${undoable.map(shown).join(', ')}`;
    const message = `compensate names ${shown(target.text)}, which is no id of a try with compensate; ${near === null ? help : `the nearest is ${shown(near)}`}`;
    file.error('SUTRA.FLOWS.VALUE_INVALID', message, target.place());
  }
}

function collect(steps: Steps, undoable: string[], targets: Written[]): void {
  for (const step of steps) {
    if (step.verb === 'try' && step.compensation !== null) undoable.push(step.id.text);
    if (step.verb === 'compensate' && step.target !== null) targets.push(step.target);
    for (const part of partsOf(step)) collect(part.steps, undoable, targets);
  }
}

/** Writes `docs/bpmn.md`: what the compiler does with every element, event and restricted attribute of BPMN. */
import { bpmnCodes } from '../definitions/bpmn/codes.ts';
import { bpmnElements, type ElementRow } from '../definitions/bpmn/elements.ts';
import { refusedAttributes } from '../definitions/bpmn/refused-attributes.ts';
import { elementNotes, restrictedAttributes, type RestrictedAttribute } from './bpmn-notes.ts';
import { type EventProbe, probeEvents, probeProcess } from './bpmn-probes.ts';
import { GENERATED, line } from './markdown.ts';

const STATUS_WORDS = { executed: 'executed', descriptive: 'documentation', refused: 'refused' } as const;

export function bpmnPage(): string {
  const counts = Object.entries(STATUS_WORDS).map(
    ([status, word]) => `${[...bpmnElements.values()].filter((row) => row.status === status).length} ${word}`,
  );
  return (
    [
      '# What of BPMN runs',
      GENERATED,
      `Every element of BPMN 2.0.2 is in this table (${counts.join(', ')}), then every event at every position that
BPMN gives it, then every attribute of which a value is refused. It is written from the compiler's own table and
from what the compiler answers to small models, so it says what this version does.

- **executed**: it means what BPMN says.
- **documentation**: it may be there and changes nothing that runs.
- **refused**: the package is not deployed. The finding has a code ([errors.md](errors.md)), file, line and column, and
  says what to do instead. Nothing that would change what runs is ever left out in silence. What is not in BPMN at all,
  an unknown element or attribute, or an event where BPMN has none of its kind, is refused too.

Expressions are FEEL. What the \`q:\` elements say is in [packages.md](packages.md).`,
      [
        line('BPMN', 'where', 'what we do', 'notes'),
        line('---', '---', '---', '---'),
        ...[...bpmnElements].sort(([one], [other]) => one.localeCompare(other)).map(elementLine),
        ...probeEvents()
          .filter(({ isInBpmn, outcome }) => isInBpmn || outcome.isExecuted)
          .map(eventLine),
        ...Object.entries(refusedAttributes).map(([attribute, { executed, remedy }]) =>
          line(`\`${attribute}\``, ownersOf(attribute), 'refused', `${otherThan(executed)}: ${remedy}`),
        ),
        ...restrictedAttributes.map(restrictedLine),
      ].join('\n'),
    ].join('\n\n') + '\n'
  );
}

function elementLine([name, { status, refusal }]: readonly [string, ElementRow]): string {
  const note = refusal === null ? (elementNotes[name] ?? '') : refusal.remedy;
  return line(`\`${name}\``, '', STATUS_WORDS[status], note);
}

function eventLine({ event, kind, position, outcome }: EventProbe): string {
  const where = `\`${event}\`, ${position}`;
  if (outcome.isExecuted) {
    return line(`${kind} event`, where, 'executed', '');
  }
  const { meaning } = bpmnCodes[outcome.code];
  return line(`${kind} event`, where, 'refused', `\`${outcome.code}\`: ${meaning}`);
}

function restrictedLine({ attribute, on, refused, sample }: RestrictedAttribute): string {
  const outcome = probeProcess(sample);
  if (outcome.isExecuted) {
    throw new Error(`the sample of ${attribute} on ${on} is not refused:\n${sample}`);
  }
  return line(inCode(attribute), inCode(on), 'refused', `${refused} (\`${outcome.code}\`)`);
}

function otherThan(executed: string): string {
  return executed === '' ? 'any value' : `other values than \`${executed}\``;
}

/** The elements that have the attribute. */
function ownersOf(attribute: string): string {
  const owners = [...bpmnElements].filter(([, { attributes }]) => attributes?.has(attribute) === true);
  return owners.length > 3 ? 'activities' : owners.map(([name]) => `\`${name}\``).join(', ');
}

/** Puts names of a list into code; a phrase stays as it is. */
function inCode(list: string): string {
  return list
    .split(', ')
    .map((name) => (name.includes(' ') ? name : `\`${name}\``))
    .join(', ');
}

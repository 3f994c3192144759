/** Writes `docs/models.md`: every extension of the modelers that we know, and what becomes of it. */
import { dialectRegistries } from '../definitions/dialects/check-names.ts';
import type { DialectRegistry, ExtensionRow, ExtensionStatus } from '../definitions/dialects/registry.ts';
import { GENERATED, line } from './markdown.ts';
import {
  percentOf,
  publicShares,
  readPublicModels,
  readRefusals,
  REFUSAL_CLASSES,
  REFUSALS_FILE,
  type Share,
} from './public-models.ts';

const STATUS_WORDS = {
  mapped: 'executed',
  data: 'kept',
  accepted: 'accepted',
  code: 'code',
  refused: 'refused',
} as const satisfies Record<ExtensionStatus, string>;

export function modelsPage(): string {
  return (
    [
      '# Models of other engines',
      GENERATED,
      `Files that the modelers of Camunda 8 (Zeebe), Camunda 7 and its forks write are deployed as they are: what their
extensions say is translated into BPMN and the \`q:\` vocabulary before the file is read, and every finding names the place
of what the author wrote. What cannot be translated is refused, with a code ([errors.md](errors.md)), a place and what to do
instead; it is never left out in silence. A name that the vendor does not know is a warning.

- **executed**: it means here what it means there.
- **kept**: it is for people and tools. It stays in the file, and the engine does not read it.
- **accepted**: what it asks for is so anyway, or cannot matter here.
- **code**: of another engine; refused, or an external task when the package says so (below).
- **refused**: the package is not deployed.

${BEHAVIOUR}`,
      publicModelsSection(),
      ...dialectRegistries.map(registrySection),
    ].join('\n\n') + '\n'
  );
}

const BEHAVIOUR = `## Work

A topic or a job type is a pull channel of that name ([external-tasks.md](external-tasks.md)): a worker fetches, locks and
completes, over the same routes as for any other task. A channel that \`channels.yaml\` does not declare is added, with the
operator's defaults, and a warning says so (\`SUTRA.PACKAGE.CHANNEL_ADDED\`).

Java classes, beans and scripts in other languages are not run. A task that needs one is refused, unless \`package.yaml\` says

\`\`\`yaml
labels: { tenant: acme, module: billing, version: '1.0.0' }
unbound-tasks: external-task
listeners: ignore
\`\`\`

\`unbound-tasks: external-task\` makes external tasks of these, and of tasks whose file does not say who does them: on the channel
of the class or the bean, else on \`<process id>.<element id>\`. Each is a warning that names the channel; the work is done when a
worker on that channel does it, and until then the task waits. \`listeners: ignore\` leaves listeners out, each with a warning:
what they did is not done. The default of both is \`refuse\`. Fields of a class go to the worker as headers; those that are code
themselves do not, each with a warning.

## Messages

A message event or receive task without \`q:source\` waits on the channel of its message's name (spaces are \`-\`), and one that
sends, without \`q:send\`, sends there. Without a declaration in \`channels.yaml\` that channel is

| the package's models      | the channel                                                                  |
| ------------------------- | ---------------------------------------------------------------------------- |
| only wait for the message | http, \`POST /channels/<tenant>/<module>/<name>\`, answered when it is stored |
| only send it              | pull: a worker takes it to whom it is for                                    |
| do both                   | local, from process to process of the module                                 |

The properties of its payload become variables. A waiting instance is found by the \`correlationKey\` of Zeebe's subscription, which
the message brings in the header \`correlation-key\` or in the property \`correlationKey\` of its payload; without a subscription
by the variable \`businessKey\`, which the message brings in the header \`business-key\` or in the property \`businessKey\`. A process
with a start event without a trigger is started by its id: \`POST /sutra/processes/<id>/start\`, with variables and a business key.
An instance of a file of Camunda 7 has the alias \`businessKey\` from its start on, when it has such a variable.

A receive task of Camunda 7 without a message waits, as there, until somebody triggers it: it is completed as a user task.

## Errors

In a file of Camunda 7 or a fork an \`errorRef\` that names no \`bpmn:error\` is the code itself, for what throws and what
catches, as there. References to messages and signals must name one, as there.

## Expressions

Zeebe's are FEEL. JUEL (\`\${…}\`, \`#{…}\`) of Camunda 7 is translated into FEEL where FEEL can say the same: operators,
properties, elements and some methods. What calls a bean or a Java class is refused at its place. \`nrOfInstances\`,
\`nrOfActiveInstances\` and \`nrOfCompletedInstances\` are seen by completion conditions only, and \`loopCounter\` counts from 0 there.
\`language="http://www.w3.org/1999/XPath"\` of a file of Camunda 7 is not heeded, as there.

A file is one of Camunda 7 when it declares a namespace of it or of a fork; else when \`modeler:executionPlatform\` is
\`Camunda Platform\`, when its target namespace is one of activiti.org, flowable.org or operaton.org, or when it has conditions
in \`\${…}\`, and it declares no namespace of Zeebe. A file that declares \`urn:sutra:q:1.0\` is none.

## Data

Input mappings are variables of the activity; output mappings run when its work is done and write outside. With Zeebe's output
mappings nothing else leaves the activity; without them, and in Camunda 7 always, every variable of the result does.

In Camunda 7 a loop may have a cardinality beside a collection: the cardinality counts the instances, and each takes the item of
its number. In a file of jBPM (\`http://www.jboss.org/drools\`) an input without a source is set to the text that is written,
whatever the language of the file; \`#{…}\` in it is translated as JUEL is.`;

function publicModelsSection(): string {
  const { alone, allowed, withDecisions, runElsewhere } = publicShares();
  const refusals = readRefusals();
  const share = (what: string, one: Share): string =>
    line(what, `${one.deployed} of ${one.of}`, `${percentOf(one)} %`);
  const classes = Object.entries(REFUSAL_CLASSES).flatMap(([name, meaning]) => {
    const count = refusals.filter(({ refusalClass }) => refusalClass === name).length;
    return count === 0 ? [] : [line(name, `${count}`, meaning)];
  });
  return [
    '## How many public models run',
    `The tests deploy ${readPublicModels().length} files that other projects publish: engines, modelers, linters and the
interchange tests of the BPMN Model Interchange Working Group. ${withDecisions.of} of them say that they are executable. Of these deploy`,
    [
      line('', 'models', 'share'),
      line('---', '---', '---'),
      share('in a package that allows nothing', alone),
      share('with `unbound-tasks: external-task` and `listeners: ignore`', allowed),
      share('with stand-ins, besides, for decisions whose DMN files are not there', withDecisions),
      share(
        '… of those that the engine they were made for runs: no negative tests, no drawings',
        runElsewhere,
      ),
    ].join('\n'),
    `The others are refused, each finding with its place. What keeps them from being deployed
([test/definitions/bpmn/corpus-refusals.tsv](../${REFUSALS_FILE}) has the reason of each):`,
    [line('class', 'models', 'what it means'), line('---', '---', '---'), ...classes].join('\n'),
  ].join('\n\n');
}

function registrySection(registry: DialectRegistry): string {
  const namespaces = registry.namespaces.map((namespace) => `\`${namespace}\``).join(', ');
  return [
    `## ${registry.name}`,
    `Namespaces: ${namespaces}.`,
    [
      line('extension', 'on or in', 'what we do', 'notes'),
      line('---', '---', '---', '---'),
      ...registry.rows.toSorted(byName).map((row) => extensionLine(registry, row)),
    ].join('\n'),
  ].join('\n\n');
}

function byName(one: ExtensionRow, other: ExtensionRow): number {
  return one.name.localeCompare(other.name) || one.kind.localeCompare(other.kind);
}

function extensionLine({ prefix }: DialectRegistry, { kind, name, on, status, note }: ExtensionRow): string {
  const written = kind === 'element' ? `\`<${prefix}:${name}>\`` : `\`${prefix}:${name}\``;
  return line(written, ownersInWords(on), STATUS_WORDS[status], note);
}

function ownersInWords(on: readonly string[] | null): string {
  if (on === null) return 'any';
  return on.length > 12 ? 'flow nodes' : on.map((owner) => `\`${owner}\``).join(', ');
}

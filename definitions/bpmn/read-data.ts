/**
 * Data: what activities read and write, and the variables that data elements declare.
 *
 * A data item is a variable by its own name, else by its id; a data object reference is its data object.
 * Data inputs, data outputs and properties of a task belong to the task; data objects and properties of a
 * process or sub-process to that scope. Source: BPMN 2.0.2 §10.4.1 (item-aware elements).
 */
import type { ActivityData, DataMapping, VariableDeclaration } from '../model.ts';
import type { XmlElement } from '../xml/document.ts';
import { type DataIndex, dataIndexOf, type DataItem, isMadeUp } from './data-index.ts';
import { associationsOf, type Direction, readAssociation, variableNameOf } from './read-associations.ts';
import { bpmnChildren, qChild, type ReadContext } from './read-context.ts';
import { readVariables } from './read-q.ts';
import { readStore } from './read-store.ts';

const SCOPES: ReadonlySet<string> = new Set(['process', 'subProcess', 'transaction', 'adHocSubProcess']);

/** What the activity reads when it begins and writes when it is done. */
export function readActivityData(context: ReadContext, element: XmlElement): ActivityData {
  const index = dataIndexOf(context);
  const loopItems = loopItemsOf(index, element);
  const locals = new Set(
    index
      .itemsOf(element)
      .flatMap((item) =>
        isLocal(index, item) && !loopItems.has(item) ? (variableNameOf(index, item) ?? []) : [],
      ),
  );
  const read = (direction: Direction): readonly DataMapping[] =>
    associationsOf(element, direction).flatMap((association) => {
      const isOfLoop = endsOf(association, direction).some((id) => {
        const item = index.find(id);
        return item !== null && loopItems.has(item);
      });
      // The loop reads what its collection is made from: read-loop.ts.
      return isOfLoop ? [] : readAssociation({ context, index, element, direction, locals }, association);
    });
  const inputs = read('input');
  const outputs = read('output');
  return { inputs, outputs, locals: [...locals], isClosed: qChild(element, 'local') !== null };
}

/**
 * The declared variables of a process or sub-process: `q:variables`, properties, and the data objects, data
 * inputs and outputs that something refers to. A declaration in `q:variables` says more and wins.
 */
export function readScopeVariables(
  context: ReadContext,
  scope: XmlElement,
): ReadonlyMap<string, VariableDeclaration> {
  const index = dataIndexOf(context);
  const variables = new Map<string, VariableDeclaration>();
  for (const item of index.itemsOf(scope)) {
    if (item.kind === 'dataStoreReference') {
      if (qChild(item.element, 'store') !== null) {
        readStore(context, item.element);
      }
    } else if (isScopeVariable(index, item)) {
      const name = variableNameOf(index, item);
      if (name !== null) {
        variables.set(name, Object.freeze({ name, type: null, isSensitive: false, isTransient: false }));
      }
    }
  }
  readVariables(context, scope).forEach((declaration, name) => variables.set(name, declaration));
  return variables;
}

/** What an event that catches writes when it has occurred: of its associations those with assignments alone. */
export function readEventOutputs(context: ReadContext, element: XmlElement): readonly DataMapping[] {
  const index = dataIndexOf(context);
  return associationsOf(element, 'output')
    .filter((association) => isEventOutput(element, association))
    .flatMap((association) =>
      readAssociation({ context, index, element, direction: 'output', locals: new Set() }, association),
    );
}

const CATCHES: ReadonlySet<string> = new Set(['startEvent', 'intermediateCatchEvent', 'boundaryEvent']);

function isEventOutput({ localName }: XmlElement, association: XmlElement): boolean {
  return (
    CATCHES.has(localName) &&
    association.localName === 'dataOutputAssociation' &&
    bpmnChildren(association, 'assignment').length > 0 &&
    bpmnChildren(association, 'sourceRef').length === 0
  );
}

/** Reports the data associations of an event that are not executed. */
export function rejectAssociations(context: ReadContext, element: XmlElement): void {
  const index = dataIndexOf(context);
  for (const association of [...associationsOf(element, 'input'), ...associationsOf(element, 'output')]) {
    if (!index.isDrawn(association) && !isEventOutput(element, association)) {
      const message = `this data association of a ${element.localName} is not executed (an event that catches has output associations with assignments); move them to a task before or after it`;
      context.report.error('SUTRA.BPMN.ASSIGNMENT_NOT_EXECUTED', association, message);
    }
  }
}

/**
 * The activity's own data input and output whose items a multi-instance activity takes apart and puts
 * together: they belong to the whole of it, not to its instances. BPMN 2.0.2 §10.3.8, loopDataInputRef.
 */
function loopItemsOf(index: DataIndex, element: XmlElement): ReadonlySet<DataItem> {
  const references = bpmnChildren(element, 'multiInstanceLoopCharacteristics').flatMap((loop) => [
    ...bpmnChildren(loop, 'loopDataInputRef'),
    ...bpmnChildren(loop, 'loopDataOutputRef'),
  ]);
  return new Set(
    references.flatMap(({ text }) => {
      const item = index.find(text.trim());
      return item?.owner === element ? [item] : [];
    }),
  );
}

/** The end of an association that lies inside the activity. */
function endsOf(association: XmlElement, direction: Direction): readonly string[] {
  return bpmnChildren(association, direction === 'input' ? 'targetRef' : 'sourceRef').map(({ text }) =>
    text.trim(),
  );
}

/** Whether the item is a variable that an activity has for itself. */
function isLocal(index: DataIndex, item: DataItem): boolean {
  switch (item.kind) {
    case 'dataInput':
    case 'dataOutput':
      return index.isUsed(item);
    case 'property':
      // What a sub-process's own associations fill is there before its inside begins.
      return SCOPES.has(item.owner.localName) ? index.isMapped(item) : !isMadeUp(item);
    default:
      return false;
  }
}

function isScopeVariable(index: DataIndex, item: DataItem): boolean {
  switch (item.kind) {
    case 'dataObject':
      return index.isUsed(item);
    case 'dataObjectReference':
      // One that names no data object of the file is one itself.
      return index.isUsed(item) && index.objectOf(item) === item;
    case 'dataInput':
    case 'dataOutput':
      return item.owner.localName === 'process' && index.isUsed(item);
    case 'property':
      return !isMadeUp(item) && !index.isMapped(item);
    default:
      return false;
  }
}

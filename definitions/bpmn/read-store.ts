/** `q:store` on a data store reference: one record of a data store. BPMN 2.0.2 §10.4.1, data store. */
import type { StoreReference } from '../model.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { REPORTED } from './expressions.ts';
import { MAX_NAME_LENGTH } from './q-values.ts';
import { label, nameOf, placeOf, qChild, type ReadContext, resolveRoot } from './read-context.ts';

/** What each reference was read as, so that one with a fault is reported once and not at every use. */
const known = new WeakMap<XmlElement, StoreReference | null>();

/** The record that a `dataStoreReference` stands for; null when it has no `q:store` or a fault, both reported. */
export function readStore(context: ReadContext, reference: XmlElement): StoreReference | null {
  const found = known.get(reference);
  if (found !== undefined) {
    return found;
  }
  const read = readAnew(context, reference);
  known.set(reference, read);
  return read;
}

function readAnew(context: ReadContext, reference: XmlElement): StoreReference | null {
  const { report } = context;
  const store = qChild(reference, 'store');
  if (store === null) {
    const message = `${label(reference)} does not say which record is meant; add q:store with a key, or draw the association without a source or target`;
    report.error('SUTRA.BPMN.STORE_MISSING', reference, message);
    return null;
  }
  const dataStore = resolveRoot(context, reference, 'dataStoreRef', 'dataStore');
  const name = storeName(reference, dataStore ?? null);
  if (name === null) {
    const message = `the data store of ${label(reference)} needs a name, not blank, of at most ${MAX_NAME_LENGTH} characters`;
    report.error('SUTRA.BPMN.DATA_NAME_INVALID', reference, message);
  }
  const place = placeOf(context, store);
  return {
    store: name ?? '',
    key: context.expressions.attribute(store, 'key') ?? REPORTED,
    isForUpdate: attributeOf(store, 'forUpdate') === 'true',
    field: attributeOf(store, 'field'),
    expect: context.expressions.attribute(store, 'expect'),
    place,
  };
}

function storeName(reference: XmlElement, dataStore: XmlElement | null): string | null {
  const named = dataStore ?? reference;
  const name = (nameOf(named) ?? attributeOf(named, 'id') ?? '').trim();
  return name === '' || name.length > MAX_NAME_LENGTH ? null : name;
}

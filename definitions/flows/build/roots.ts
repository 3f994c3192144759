/** Errors, escalations and signals, which BPMN keeps beside the process: one for each code or name. */
import type { ElementMaker } from '../../element-maker.ts';
import type { XmlElement } from '../../xml/document.ts';
import type { Written } from '../../written.ts';
import type { BuiltIds } from './ids.ts';

type RootKind = 'error' | 'escalation' | 'signal';

const TEXT_ATTRIBUTES = { error: 'errorCode', escalation: 'escalationCode', signal: null } as const;

export class BuiltRoots {
  readonly #make: ElementMaker;
  readonly #ids: BuiltIds;
  readonly #idsByText = new Map<string, string>();
  readonly #elements: XmlElement[] = [];

  constructor(make: ElementMaker, ids: BuiltIds) {
    this.#make = make;
    this.#ids = ids;
  }

  /** The value of an attribute that refers to the one of that code or name. */
  reference(kind: RootKind, text: Written): Written {
    const key = JSON.stringify([kind, text.text]);
    const known = this.#idsByText.get(key);
    if (known !== undefined) return { ...text, text: known, inside: text.place };
    // No derived id has a `_` here, so that `signal: news` and its signal do not meet.
    const id = this.#ids.free(`${kind}_${text.text.replaceAll(/[^\p{L}\p{N}._-]/gu, '-')}`);
    this.#idsByText.set(key, id);
    const attribute = TEXT_ATTRIBUTES[kind];
    this.#elements.push(
      this.#make.bpmn(kind, text, {
        id: { ...text, text: id, inside: text.place },
        name: text,
        ...(attribute === null ? {} : { [attribute]: text }),
      }),
    );
    return { ...text, text: id, inside: text.place };
  }

  get elements(): readonly XmlElement[] {
    return this.#elements;
  }
}

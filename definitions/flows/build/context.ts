/** What the builders of one document share. */
import type { Finding } from '../../../config/engine-error.ts';
import type { ElementMaker } from '../../element-maker.ts';
import type { PlaceSource } from '../../xml/translated-document.ts';
import type { Written } from '../../written.ts';
import type { BuiltIds } from './ids.ts';
import type { BuiltRoots } from './roots.ts';

export interface BuildContext {
  readonly make: ElementMaker;
  readonly ids: BuiltIds;
  /** What stands beside the process. */
  readonly roots: BuiltRoots;
  readonly findings: Finding[];
}

/** A text that the author did not write, for something that stands at `place`. */
export function made(place: PlaceSource, text = ''): Written {
  return { text, place, inside: place };
}

/** `true`, or nothing where that is the default. */
export function flag(isSet: boolean, place: PlaceSource): Written | null {
  return isSet ? made(place, 'true') : null;
}

/**
 * Searching a text for another.
 *
 * The runtime's own search compares again and again where both repeat themselves (a million `a`, searched for a `b`
 * between many `a`): its time is the product of the lengths. So what is longer than a few characters is searched for in
 * one pass, by what the runtime does not have: the borders of the searched text (Knuth, Morris, Pratt).
 */
import type { Meter } from '../budget.ts';

/** Up to so many characters the runtime's search is paid for by the length of the text. */
const SHORT_LENGTH = 8;
/** A character of the long search costs more: 5 to 10 ns. */
const LONG_COST = 2;

/** Where `searched` is in `text` for the first time; -1: nowhere. Pays for all of both. */
export function indexOfText(text: string, searched: string, meter: Meter): number {
  meter.spendCharacters(text.length + searched.length);
  if (searched.length >= text.length) return text === searched ? 0 : -1;
  if (searched.length <= SHORT_LENGTH) return text.indexOf(searched);
  meter.spendCharacters((text.length + searched.length) * LONG_COST);
  return search(text, unitsOf(searched));
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}

function search(text: string, searched: Uint16Array): number {
  const borders = bordersOf(searched);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && searched[matched] !== unit) matched = borders[matched - 1] ?? 0;
    if (searched[matched] === unit) matched += 1;
    if (matched === searched.length) return at - matched + 1;
  }
  return -1;
}

/** For each beginning of the text, the length of the longest shorter one that it ends with. */
function bordersOf(text: Uint16Array): Uint32Array {
  const borders = new Uint32Array(text.length);
  let length = 0;
  for (let at = 1; at < text.length; at += 1) {
    const unit = text[at];
    while (length > 0 && text[length] !== unit) length = borders[length - 1] ?? 0;
    if (text[length] === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}

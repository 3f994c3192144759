/**
 * YAML bodies as JSON text, so that they meet the same rules for keys, texts, numbers and depth as JSON.
 *
 * Y1 What JSON has no form for is refused: tags, anchors and aliases, infinity, keys that are no texts.
 * Y2 A number stays the one that is written.
 */
import {
  isAlias,
  isNode,
  isScalar,
  parse as parseYaml,
  visit,
  YAMLError,
  type ParsedNode,
  type Tags,
} from 'yaml';
import { EngineError } from '../../config/engine-error.ts';
import type { FeelNumber } from '../../definitions/feel/number.ts';
import { readNumberLiteral } from '../../definitions/number-literal.ts';
import { toPlainJson } from '../../definitions/plain-json.ts';
import { composeYaml } from '../../definitions/yaml-document.ts';

/** YAML is for small, hand-written messages: its parser needs seconds for hostile text beyond this. */
const MAX_CHARACTERS = 262_144;
const MAX_DEPTH = 64;

/** @throws EngineError SUTRA.CODEC.PAYLOAD_TOO_LARGE, SUTRA.CODEC.PAYLOAD_INVALID, SUTRA.CODEC.NUMBER_INEXACT */
export function yamlToJson(text: string, channel: string): string {
  if (text.length > MAX_CHARACTERS) {
    throw new EngineError(
      'SUTRA.CODEC.PAYLOAD_TOO_LARGE',
      `The YAML body on channel ${channel} has ${String(text.length)} characters; at most ${String(MAX_CHARACTERS)} are read.`,
      { attributes: { limit: MAX_CHARACTERS } },
    );
  }
  const { root, faults } = composeYaml(text, { maxDepth: MAX_DEPTH });
  const [fault] = faults;
  if (fault !== undefined) throw unreadable(channel, fault.message);
  refuseBeyondJson(root, channel);
  return toPlainJson(parsed(text, channel) ?? null);
}

function unreadable(channel: string, reason: string): EngineError {
  return new EngineError(
    'SUTRA.CODEC.PAYLOAD_INVALID',
    `The body on channel ${channel} is not readable YAML: ${reason}.`,
  );
}

/** Keys as they are written, as JSON has them: `1.10` is the key "1.10", and a list is no key. */
function parsed(text: string, channel: string): unknown {
  try {
    return parseYaml(text, { schema: 'core', stringKeys: true, customTags: withExactNumbers });
  } catch (cause) {
    if (cause instanceof YAMLError) throw unreadable(channel, 'a key is no text, or occurs twice');
    throw cause;
  }
}

const NUMBER_TAGS: ReadonlySet<string> = new Set(['tag:yaml.org,2002:int', 'tag:yaml.org,2002:float']);

function withExactNumbers(tags: Tags): Tags {
  return tags.map((tag) => {
    const isNumber = typeof tag === 'object' && tag.collection === undefined && NUMBER_TAGS.has(tag.tag);
    return isNumber ? { ...tag, resolve: readNumber } : tag;
  });
}

/** Numbers that would be rounded, and tags: what `!!binary` or `!!set` makes of a value is nothing that JSON has. */
function refuseBeyondJson(root: ParsedNode | null, channel: string): void {
  if (root === null) return;
  visit(root, (_key, node) => {
    if (!isNode(node)) return;
    if (!isAlias(node) && node.tag !== undefined) throw unreadable(channel, 'tags are not allowed');
    if (!isScalar(node) || typeof node.value !== 'number' || readNumber(node.source ?? '') !== null) return;
    throw new EngineError(
      'SUTRA.CODEC.NUMBER_INEXACT',
      `The body on channel ${channel} holds a number that cannot be kept exactly; send it as text.`,
    );
  });
}

/** No number that is kept has more octal digits; to convert them takes long. */
const MAX_RADIX_CHARACTERS = 7_000;

/** YAML's spellings beyond JSON's: `+1`, `007`, `.5`, `5.`, `0x1F`, `0o17`. `.inf` and `.nan` are no numbers of JSON. */
function readNumber(source: string): FeelNumber | null {
  if (/^0[xo]/.test(source)) {
    return source.length > MAX_RADIX_CHARACTERS ? null : readNumberLiteral(BigInt(source).toString());
  }
  const unsigned = source.replace(/^[-+]/, '');
  const literal = unsigned
    .replace(/^\./, '0.')
    .replace(/\.(?=[eE]|$)/, '')
    .replace(/^0+(?=\d)/, '');
  return readNumberLiteral(source.startsWith('-') ? `-${literal}` : literal);
}

/** Packages that must be refused, as data: the file that is wrong, and the code of its finding. */
import { orderPackage } from '../deployments/states.ts';

export interface BadPackage {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** Of the answer, or of one of its findings. */
  readonly code: string;
}

const good = orderPackage({ module: 'bad', version: '1.0.0', path: 'bad' });
const model = 'bpmn/order.bpmn';
const channels = 'channels.yaml';

function spoilt(name: string, file: string, content: string | Uint8Array, code: string): BadPackage {
  return { name, files: { ...good, [file]: content }, code };
}

const bpmn = good[model] ?? '';
const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
const billionLaughs = `<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">${'bcdefghij'
  .split('')
  .map((name, at) => `<!ENTITY ${name} "${`&${'abcdefghi'[at] ?? ''};`.repeat(10)}">`)
  .join('')}]>`;
const withDoctype = (doctype: string): string => bpmn.replace(declaration, `${declaration}${doctype}`);
const inDocumentation = (text: string): string =>
  bpmn.replace('<startEvent id="start">', `<startEvent id="start"><documentation>${text}</documentation>`);
const nested = (levels: number): string =>
  '<x:a xmlns:x="urn:x">' + '<x:a>'.repeat(levels) + '</x:a>'.repeat(levels) + '</x:a>';
const deepYaml = (levels: number): string => `channels: ${'['.repeat(levels)}${']'.repeat(levels)}\n`;
const yamlBomb = `channels:\n  - &a [x, x, x, x, x, x, x, x, x]\n${'bcdefgh'
  .split('')
  .map(
    (name, at) =>
      `  - &${name} [${Array(9)
        .fill(`*${'abcdefg'[at] ?? ''}`)
        .join(', ')}]\n`,
  )
  .join('')}`;
const named = (name: string): string => `channels:\n  - { name: ${JSON.stringify(name)}, transport: pull }\n`;

export const badPackages: readonly BadPackage[] = [
  spoilt(
    'an XML bomb',
    model,
    withDoctype(billionLaughs).replace('id="end"', 'id="end" name="&j;"'),
    'SUTRA.XML.DOCTYPE_FORBIDDEN',
  ),
  spoilt(
    'an external entity',
    model,
    withDoctype('<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    'SUTRA.XML.DOCTYPE_FORBIDDEN',
  ),
  spoilt(
    'an external DTD',
    model,
    withDoctype('<!DOCTYPE d SYSTEM "http://127.0.0.1:1/d.dtd">'),
    'SUTRA.XML.DOCTYPE_FORBIDDEN',
  ),
  spoilt('an entity that nobody declared', model, inDocumentation('&unknown;'), 'SUTRA.XML.NOT_WELL_FORMED'),
  spoilt('a NUL in XML', model, inDocumentation('\u0000'), 'SUTRA.XML.NOT_WELL_FORMED'),
  spoilt('a NUL as a reference', model, inDocumentation('&#0;'), 'SUTRA.XML.NOT_WELL_FORMED'),
  spoilt(
    'half of a surrogate pair as a reference',
    model,
    inDocumentation('&#xD800;'),
    'SUTRA.XML.NOT_WELL_FORMED',
  ),
  spoilt('XML that ends too early', model, bpmn.slice(0, -20), 'SUTRA.XML.NOT_WELL_FORMED'),
  spoilt('1,000 elements in each other', model, inDocumentation(nested(1_000)), 'SUTRA.XML.TOO_DEEP'),
  spoilt('100,000 elements in each other', model, inDocumentation(nested(100_000)), 'SUTRA.XML.TOO_DEEP'),
  spoilt(
    'an attribute without end',
    model,
    inDocumentation(`<x:a xmlns:x="urn:x" b="${'x'.repeat(2_000_000)}"/>`),
    'SUTRA.XML.VALUE_TOO_LONG',
  ),
  spoilt(
    'bytes that are not UTF-8',
    model,
    Buffer.from(inDocumentation('\xff'), 'latin1'),
    'SUTRA.XML.ENCODING_INVALID',
  ),
  spoilt('nothing', model, '', 'SUTRA.XML.EMPTY'),
  spoilt('1,000 levels of YAML', channels, deepYaml(1_000), 'SUTRA.CHANNELS.YAML_INVALID'),
  spoilt('100,000 levels of YAML', channels, deepYaml(100_000), 'SUTRA.CHANNELS.YAML_INVALID'),
  spoilt('an alias bomb', channels, yamlBomb, 'SUTRA.CHANNELS.YAML_INVALID'),
  spoilt('a NUL in YAML', channels, 'channels: "\\0"\n', 'SUTRA.CHANNELS.VALUE_INVALID'),
  spoilt(
    '__proto__ in YAML',
    channels,
    '__proto__: { polluted: true }\nchannels: []\n',
    'SUTRA.CHANNELS.KEY_UNKNOWN',
  ),
  spoilt(
    '__proto__ as the key of a channel',
    channels,
    'channels:\n  - { name: a, transport: pull, __proto__: { task: 1 } }\n',
    'SUTRA.CHANNELS.KEY_UNKNOWN',
  ),
  spoilt('a channel name of 256 characters', channels, named('n'.repeat(256)), 'SUTRA.CHANNELS.NAME_INVALID'),
  spoilt('a channel name of 300 characters', channels, named('n'.repeat(300)), 'SUTRA.CHANNELS.NAME_INVALID'),
  spoilt('a blank channel name', channels, named('  '), 'SUTRA.CHANNELS.NAME_INVALID'),
  spoilt('a channel name with a NUL', channels, named('a\u0000b'), 'SUTRA.CHANNELS.NAME_INVALID'),
  spoilt(
    'a channel name with half of a surrogate pair',
    channels,
    'channels:\n  - { name: "\\uD800", transport: pull }\n',
    'SUTRA.CHANNELS.NAME_INVALID',
  ),
  spoilt(
    'a schema with a number that would be rounded',
    'schemas/a/b.json',
    '{"maximum": 9007199254740993}',
    'SUTRA.PACKAGE.SCHEMA_INVALID',
  ),
  spoilt('a schema that is too deep', 'schemas/a/b.json', '['.repeat(1_000), 'SUTRA.PACKAGE.SCHEMA_INVALID'),
  spoilt(
    'a schema that fetches another',
    'schemas/a/b.json',
    '{"$ref": "http://127.0.0.1:1/s.json"}',
    'SUTRA.PACKAGE.SCHEMA_INVALID',
  ),
  spoilt(
    'labels of another alphabet',
    'package.yaml',
    'labels: { tenant: ../etc, module: a, version: "1" }\n',
    'SUTRA.PACKAGE.LABEL_INVALID',
  ),
  spoilt('a path that leads out', '../../etc/passwd', 'x', 'SUTRA.PACKAGE.PATH_UNSAFE'),
  spoilt('an absolute path', '/etc/passwd', 'x', 'SUTRA.PACKAGE.PATH_UNSAFE'),
  {
    name: 'no model',
    files: { 'package.yaml': good['package.yaml'] ?? '' },
    code: 'SUTRA.PACKAGE.MODEL_MISSING',
  },
];

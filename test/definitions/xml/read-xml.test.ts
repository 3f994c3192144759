import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  attributeOf,
  findAttribute,
  type XmlDocument,
  type XmlElement,
} from '../../../definitions/xml/document.ts';
import { xmlBounds } from '../../../definitions/xml/bounds.ts';
import { type XmlCode, xmlCodes } from '../../../definitions/xml/codes.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import { readBoolean } from '../../../definitions/xml/schema-values.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));
const utf16le = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le'));
const utf16be = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'utf16le').swap16());

function read(content: Uint8Array): ReturnType<typeof readXml> {
  return readXml({ path: 'a.xml', content });
}

function documentOf(text: string): XmlDocument {
  const { document, findings } = read(utf8(text));
  assert.deepEqual(findings, []);
  assert.ok(document !== null);
  return document;
}

function descend(element: XmlElement, ...indexes: readonly number[]): XmlElement {
  let at = element;
  for (const index of indexes) {
    const child = at.children[index];
    assert.ok(child !== undefined);
    at = child;
  }
  return at;
}

interface Refusal {
  readonly title: string;
  readonly content: Uint8Array;
  readonly code: XmlCode;
  readonly line?: number;
  readonly column?: number;
}

const refuse = (
  title: string,
  content: string | Uint8Array,
  code: XmlCode,
  line?: number,
  column?: number,
): Refusal => ({
  title,
  content: typeof content === 'string' ? utf8(content) : content,
  code,
  ...(line === undefined ? {} : { line }),
  ...(column === undefined ? {} : { column }),
});

const bomb = `<?xml version="1.0"?>
<!-- a comment first -->
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol1 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">]>
<lolz>&lol1;</lolz>`;

const malformed: readonly Refusal[] = [
  refuse('nothing', '', 'SUTRA.XML.EMPTY', 1, 1),
  refuse('only space', ' \n\t ', 'SUTRA.XML.EMPTY', 1, 1),
  refuse('plain text', 'hello', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('JSON', '{"a":1}', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('tags that do not match', '<a>\n  <b></c>\n</a>', 'SUTRA.XML.NOT_WELL_FORMED', 2, 9),
  refuse('a tag that is not closed', '<a><b></b>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('an attribute twice', '<a>\n <b x="1"\n x="2"/></a>', 'SUTRA.XML.NOT_WELL_FORMED', 2, 2),
  refuse(
    'an attribute twice by two prefixes of a namespace',
    '<a xmlns:p="u" xmlns:q="u"><b p:x="1" q:x="2"/></a>',
    'SUTRA.XML.NOT_WELL_FORMED',
    1,
    28,
  ),
  refuse('two roots', '<a/>\n<b/>', 'SUTRA.XML.NOT_WELL_FORMED', 2),
  refuse('an undeclared prefix', '<a>\n  <p:b/></a>', 'SUTRA.XML.NOT_WELL_FORMED', 2, 3),
  refuse('an undeclared prefix of an attribute', '<a p:b="1"/>', 'SUTRA.XML.NOT_WELL_FORMED', 1, 1),
  refuse('an unknown entity', '<a>&nbsp;</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a reference to NUL', '<a>&#0;</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a reference beyond Unicode', '<a>&#x110000;</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a reference with twenty digits', '<a>&#99999999999999999999;</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a reference to half a pair', '<a>&#xD800;</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a NUL byte', '<a>\u0000</a>', 'SUTRA.XML.NOT_WELL_FORMED', 1, 4),
  refuse('an unquoted attribute', '<a b=1/>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('an attribute without a value', '<a b/>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('< in an attribute', '<a b="<"/>', 'SUTRA.XML.NOT_WELL_FORMED', 1, 7),
  refuse('text after the root', '<a/>text', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('an unclosed comment', '<a><!-- </a>', 'SUTRA.XML.NOT_WELL_FORMED', 1),
  refuse('a billion laughs', bomb, 'SUTRA.XML.DOCTYPE_FORBIDDEN', 3, 1),
  refuse(
    'an external entity',
    '<!doctype a SYSTEM "file:///etc/passwd"><a/>',
    'SUTRA.XML.DOCTYPE_FORBIDDEN',
    1,
    1,
  ),
  refuse('XML 1.1', '<?xml version="1.1"?><a/>', 'SUTRA.XML.VERSION_UNSUPPORTED', 1, 1),
];

const undecodable: readonly Refusal[] = [
  refuse(
    'a byte that is no UTF-8',
    new Uint8Array([...utf8('<a>\n ü'), 0xff, 0x3c]),
    'SUTRA.XML.ENCODING_INVALID',
    2,
    3,
  ),
  refuse(
    'a character cut off at the end',
    new Uint8Array([...utf8('<a/>'), 0xc3]),
    'SUTRA.XML.ENCODING_INVALID',
    1,
    5,
  ),
  refuse(
    'half a pair in UTF-8',
    new Uint8Array([...utf8('<a>'), 0xed, 0xa0, 0x80]),
    'SUTRA.XML.ENCODING_INVALID',
    1,
    4,
  ),
  refuse('an overlong NUL', new Uint8Array([...utf8('<a>'), 0xc0, 0x80]), 'SUTRA.XML.ENCODING_INVALID', 1, 4),
  refuse('half a pair in UTF-16', utf16le('\uFEFF<a>\uD800</a>'), 'SUTRA.XML.ENCODING_INVALID'),
  refuse('UTF-16 without a mark', utf16le('<a/>'), 'SUTRA.XML.NOT_WELL_FORMED'),
  refuse(
    'UTF-16 that declares UTF-8',
    utf16le('\uFEFF<?xml version="1.0" encoding="UTF-8"?><a/>'),
    'SUTRA.XML.ENCODING_INVALID',
  ),
  refuse(
    'UTF-8 that declares UTF-16',
    '<?xml version="1.0" encoding="UTF-16"?><a/>',
    'SUTRA.XML.ENCODING_UNSUPPORTED',
    1,
    1,
  ),
  refuse(
    'a mark of UTF-8 and another encoding',
    '\uFEFF<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
    'SUTRA.XML.ENCODING_INVALID',
  ),
  refuse(
    'windows-1252',
    "<?xml version='1.0' encoding='windows-1252'?><a/>",
    'SUTRA.XML.ENCODING_UNSUPPORTED',
    1,
    1,
  ),
  refuse(
    'an encoding named like a member of every object',
    '<?xml version="1.0" encoding="constructor"?><a/>',
    'SUTRA.XML.ENCODING_UNSUPPORTED',
  ),
  refuse(
    'ASCII with a letter beyond it',
    latin1('<?xml version="1.0" encoding="US-ASCII"?>\n<a>ü</a>'),
    'SUTRA.XML.ENCODING_INVALID',
    2,
    4,
  ),
];

const beyondBounds: readonly Refusal[] = [
  refuse('a file over the limit', new Uint8Array(xmlBounds.maxBytes + 1), 'SUTRA.XML.TOO_LARGE'),
  refuse(
    'nesting over the limit',
    nested(xmlBounds.maxDepth + 1),
    'SUTRA.XML.TOO_DEEP',
    1,
    xmlBounds.maxDepth * 3 + 1,
  ),
  refuse('a thousand levels', nested(1_000), 'SUTRA.XML.TOO_DEEP', 1, xmlBounds.maxDepth * 3 + 1),
  refuse(
    'elements over the limit',
    `<a>${'<b/>'.repeat(xmlBounds.maxElements)}</a>`,
    'SUTRA.XML.TOO_MANY_ELEMENTS',
    1,
  ),
  refuse(
    'attributes over the limit',
    `<a ${attributes(xmlBounds.maxAttributesPerElement + 1)}/>`,
    'SUTRA.XML.TOO_MANY_ELEMENTS',
    1,
  ),
  refuse(
    'an attribute over the limit',
    `<a b="${'x'.repeat(xmlBounds.maxAttributeLength + 1)}"/>`,
    'SUTRA.XML.VALUE_TOO_LONG',
    1,
  ),
  refuse(
    'an element name over the limit',
    `<${'n'.repeat(xmlBounds.maxNameLength + 1)}/>`,
    'SUTRA.XML.VALUE_TOO_LONG',
    1,
    1,
  ),
  refuse(
    'an attribute name over the limit',
    `<a ${'n'.repeat(xmlBounds.maxNameLength + 1)}="1"/>`,
    'SUTRA.XML.VALUE_TOO_LONG',
    1,
  ),
  refuse('an element named constructor', '<a>\n<constructor/></a>', 'SUTRA.XML.UNREADABLE', 2, 1),
  refuse('an attribute named __proto__', '<a>\n<b __proto__="1"/></a>', 'SUTRA.XML.UNREADABLE', 2),
  refuse(
    'an instruction that two parsers read differently',
    '<a>\n <?it is Bob\'s?><b c="\'"/></a>',
    'SUTRA.XML.UNREADABLE',
    2,
    2,
  ),
];

function nested(depth: number): string {
  return `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
}

function attributes(count: number): string {
  return Array.from({ length: count }, (_, index) => `a${index}="1"`).join(' ');
}

describe('a file is refused with its code and place', () => {
  for (const { title, content, code, line, column } of [...malformed, ...undecodable, ...beyondBounds]) {
    test(title, () => {
      const { document, findings } = read(content);
      const [first] = findings;
      assert.equal(document, null);
      assert.equal(first?.code, code, JSON.stringify(findings));
      assert.equal(first.severity, 'error');
      assert.equal(first.place.file, 'a.xml');
      assert.deepEqual(
        {
          line: line === undefined ? undefined : first.place.line,
          column: column === undefined ? undefined : first.place.column,
        },
        { line, column },
      );
      assert.ok(findings.length <= xmlBounds.maxFaults);
    });
  }

  test('and every code of the table has such a file', () => {
    const covered = new Set<string>([...malformed, ...undecodable, ...beyondBounds].map(({ code }) => code));
    assert.deepEqual(
      Object.keys(xmlCodes).filter((code) => !covered.has(code)),
      [],
    );
  });
});

describe('a file at the limits is read', () => {
  const files: readonly (readonly [string, string])[] = [
    ['the depth', nested(xmlBounds.maxDepth)],
    ['the number of attributes', `<a ${attributes(xmlBounds.maxAttributesPerElement)}/>`],
    ['the length of an attribute', `<a b="${'x'.repeat(xmlBounds.maxAttributeLength)}"/>`],
    [
      'the length of names',
      `<${'n'.repeat(xmlBounds.maxNameLength)} ${'m'.repeat(xmlBounds.maxNameLength)}="1"/>`,
    ],
    ['a DOCTYPE in a comment and in CDATA', '<!-- <!DOCTYPE a> --><a><![CDATA[<!DOCTYPE a>]]></a>'],
    ['attributes named like members of every object', '<a toString="1" hasOwnProperty="2" valueOf="3"/>'],
  ];
  for (const [title, text] of files) {
    test(title, () => {
      assert.deepEqual(read(utf8(text)).findings, []);
    });
  }

  test('and its attributes keep their names', () => {
    assert.deepEqual(
      documentOf('<a toString="1" hasOwnProperty="2"/>').root.attributes.map(({ name, value }) => [
        name,
        value,
      ]),
      [
        ['toString', '1'],
        ['hasOwnProperty', '2'],
      ],
    );
  });
});

describe('encodings', () => {
  const encodings: readonly (readonly [string, Uint8Array])[] = [
    ['UTF-8 without a declaration', utf8('<a>ü</a>')],
    ['UTF-8 with a mark', utf8('\uFEFF<?xml version="1.0" encoding="utf-8"?><a>ü</a>')],
    ['ISO-8859-1', latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>ü</a>')],
    ['UTF-16 little-endian with a mark', utf16le('\uFEFF<?xml version="1.0" encoding="UTF-16"?><a>ü</a>')],
    ['UTF-16 big-endian with a mark', utf16be('\uFEFF<a>ü</a>')],
    ['US-ASCII with a reference', latin1('<?xml version="1.0" encoding="us-ascii"?><a>&#xFC;</a>')],
  ];
  for (const [title, content] of encodings) {
    test(`${title} is read`, () => {
      assert.equal(read(content).document?.root.text, 'ü');
    });
  }

  test('ISO-8859-1 is not windows-1252', () => {
    const content = new Uint8Array([
      ...utf8('<?xml version="1.0" encoding="ISO-8859-1"?><a>'),
      0x85,
      ...utf8('</a>'),
    ]);
    assert.equal(read(content).document?.root.text, '\u0085');
  });
});

describe('names', () => {
  const forms = [
    '<a xmlns="u"><b c="1"/></a>',
    '<p:a xmlns:p="u"><p:b c="1"/></p:a>',
    '<p:a xmlns:p="u"><b xmlns="u" c="1"/></p:a>',
    '<a xmlns="&#117;"><p:b xmlns:p="u" c="1"/></a>',
  ];
  for (const text of forms) {
    test(`${text} is a and b of the namespace u`, () => {
      const { root } = documentOf(text);
      const child = descend(root, 0);
      assert.deepEqual(
        [root.namespace, root.localName, child.namespace, child.localName],
        ['u', 'a', 'u', 'b'],
      );
      assert.equal(attributeOf(child, 'c'), '1');
    });
  }

  test('an attribute with a prefix is not the attribute without one', () => {
    const { root } = documentOf('<a xmlns:p="u" p:id="2" id="1"/>');
    assert.equal(attributeOf(root, 'id'), '1');
    assert.deepEqual(
      root.attributes.map(({ namespace, localName }) => [namespace, localName]),
      [
        ['u', 'id'],
        ['', 'id'],
      ],
    );
  });

  test('an inner declaration ends with its element', () => {
    const { root } = documentOf('<p:a xmlns:p="u"><p:b xmlns:p="v"/><p:c/></p:a>');
    assert.deepEqual(
      root.children.map(({ namespace }) => namespace),
      ['v', 'u'],
    );
  });

  test('the prefixes inside of an element are known, for values that have one', () => {
    const { root } = documentOf('<a xmlns="u" xmlns:p="v"><b xmlns:q="w" p="p:x"/><c/></a>');
    const prefixes = [root, descend(root, 0), descend(root, 1)].map((element) => element.prefixes);
    assert.deepEqual(
      prefixes.map((known) => ['', 'p', 'q', 'r'].map((prefix) => known.get(prefix))),
      [
        ['u', 'v', undefined, undefined],
        ['u', 'v', 'w', undefined],
        ['u', 'v', undefined, undefined],
      ],
    );
  });

  test('the default namespace can be taken away', () => {
    assert.equal(descend(documentOf('<a xmlns="u"><b xmlns=""/></a>').root, 0).namespace, '');
  });
});

describe('values', () => {
  test('references are decoded once, in attributes and text', () => {
    const { root } = documentOf('<a b="&amp;lt;&#65;&#x1F600;&quot;">&lt;&amp;gt;&apos;</a>');
    assert.equal(attributeOf(root, 'b'), '&lt;A😀"');
    assert.equal(root.text, "<&gt;'");
  });

  test('line ends are one character, and a space inside attributes', () => {
    const { root } = documentOf('<a b="1\r\n2\t3&#10;4">x\r\ny\rz</a>');
    assert.equal(attributeOf(root, 'b'), '1 2 3\n4');
    assert.equal(root.text, 'x\ny\nz');
  });

  test('text is joined over CDATA and comments', () => {
    assert.equal(documentOf('<a>1<![CDATA[<&amp;]]><!-- no -->2<?no?>3</a>').root.text, '1<&amp;23');
  });

  test('space between elements is no text', () => {
    assert.equal(documentOf('<a>\n  <b/>\n</a>').root.text, '');
  });
});

describe('places', () => {
  const text =
    '<a>\r\n  <b\r\n    one="1"\r\n    two="x &lt; 😀 y">é😀<c/></b>\n<d><!-- - --><![CDATA[\n]]>p&amp;q</d></a>';
  const document = documentOf(text);
  const b = descend(document.root, 0);
  const two = findAttribute(b, 'two');

  test('an element is at its start tag', () => {
    assert.deepEqual(document.placeOf(b), { file: 'a.xml', line: 2, column: 3 });
  });

  test('columns count characters', () => {
    assert.deepEqual(document.placeOf(descend(b, 0)), { file: 'a.xml', line: 4, column: 24 });
  });

  test('an attribute is at its name', () => {
    assert.ok(two !== null);
    assert.deepEqual(document.placeOfAttribute(b, two), { file: 'a.xml', line: 4, column: 5 });
  });

  test('a character of an attribute is found behind references', () => {
    assert.ok(two !== null);
    assert.deepEqual(document.placeInAttribute(b, two, 0), { file: 'a.xml', line: 4, column: 10 });
    assert.deepEqual(document.placeInAttribute(b, two, two.value.indexOf('<')), {
      file: 'a.xml',
      line: 4,
      column: 12,
    });
    assert.deepEqual(document.placeInAttribute(b, two, two.value.indexOf('y')), {
      file: 'a.xml',
      line: 4,
      column: 19,
    });
  });

  test('a character of a text is found behind comments, CDATA and references', () => {
    const d = descend(document.root, 1);
    assert.equal(d.text, '\np&q');
    assert.deepEqual(document.placeInText(d, 0), { file: 'a.xml', line: 5, column: 23 });
    assert.deepEqual(document.placeInText(d, 1), { file: 'a.xml', line: 6, column: 4 });
    assert.deepEqual(document.placeInText(d, 3), { file: 'a.xml', line: 6, column: 10 });
    assert.deepEqual(document.placeInText(d, 4), { file: 'a.xml', line: 6, column: 11 });
  });
});

describe('a value that a schema collapses', () => {
  const { document } = readXml(
    { path: 'a.xml', content: utf8('<a>\n<b id="&#9; x " name=" x "/></a>') },
    (_, { localName }) => localName === 'id',
  );

  test('is without the spaces around it, and others are not', () => {
    assert.ok(document !== null);
    const b = descend(document.root, 0);
    assert.equal(attributeOf(b, 'id'), 'x');
    assert.equal(attributeOf(b, 'name'), ' x ');
  });

  test('has its places where it begins', () => {
    assert.ok(document !== null);
    const b = descend(document.root, 0);
    const id = findAttribute(b, 'id');
    assert.ok(id !== null);
    assert.deepEqual(document.placeOfAttribute(b, id), { file: 'a.xml', line: 2, column: 4 });
    assert.deepEqual(document.placeInAttribute(b, id, 0), { file: 'a.xml', line: 2, column: 13 });
  });

  const booleans: readonly (readonly [text: string, value: boolean | null])[] = [
    ['true', true],
    [' 1\n', true],
    ['\tfalse ', false],
    ['0', false],
    ['t rue', null],
    ['\u00A0true', null],
    ['', null],
  ];
  for (const [text, value] of booleans) {
    test(`as the boolean ${JSON.stringify(text)} is ${String(value)}`, () => {
      assert.equal(readBoolean(text), value);
    });
  }
});

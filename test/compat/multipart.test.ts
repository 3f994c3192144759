import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readMultipart, textOf, type FormPart } from '../../channels/pull/compat/multipart.ts';
import { EngineError } from '../../config/engine-error.ts';

const FORM = 'multipart/form-data; boundary=b';

function read(body: string | Uint8Array, contentType: string | undefined = FORM): readonly FormPart[] {
  return readMultipart(contentType, typeof body === 'string' ? Buffer.from(body, 'latin1') : body);
}

/** What a part of this header has as its name and file name. */
function named(disposition: string): Pick<FormPart, 'name' | 'fileName'> {
  const body = Buffer.from(`--b\r\nContent-Disposition: ${disposition}\r\n\r\nx\r\n--b--`, 'utf8');
  const [part, ...others] = read(body);
  assert.ok(part !== undefined && others.length === 0);
  return { name: part.name, fileName: part.fileName };
}

const PART = 'Content-Disposition: form-data; name="a"\r\n\r\nx';
const valid = (part: string): string => `--b\r\n${part}\r\n--b--\r\n`;

/** Bodies that are no form, and what the refusal says of each. */
const malformed: Readonly<Record<string, readonly [body: string, reason: RegExp]>> = {
  'an empty body': ['', /does not begin with the boundary/],
  'a body without a boundary': ['hello', /does not begin with the boundary/],
  'a preamble': [`preamble\r\n${valid(PART)}`, /does not begin with the boundary/],
  'line feeds alone': [valid(PART).replaceAll('\r\n', '\n'), /the boundary occurs inside a part/],
  'no closing boundary': [`--b\r\n${PART}\r\n`, /the closing boundary is missing/],
  'a closing boundary without a line of its own': [`--b\r\n${PART}--b--`, /the closing boundary is missing/],
  'nothing after the first boundary': ['--b', /the boundary occurs inside a part/],
  'half a closing boundary': [`--b\r\n${PART}\r\n--b-`, /the boundary occurs inside a part/],
  'a boundary that goes on inside a part': [
    `--b\r\n${PART}\r\n--bX\r\nmore\r\n--b--`,
    /the boundary occurs inside a part/,
  ],
  'an epilogue': [`${valid(PART)}epilogue`, /something follows the closing boundary/],
  'a second body': [`${valid(PART)}${valid(PART)}`, /something follows the closing boundary/],
  'a part without an empty line': [
    valid('Content-Disposition: form-data; name="a"'),
    /an empty line is missing/,
  ],
  'a part without headers': [valid('\r\nx'), /no header|an empty line is missing/],
  'a part of nothing': ['--b\r\n--b--', /an empty line is missing/],
  'a part without a disposition': [valid('Content-Type: text/plain\r\n\r\nx'), /has no Content-Disposition/],
  'a disposition of another type': [
    valid('Content-Disposition: attachment; name="a"\r\n\r\nx'),
    /is not form-data with parameters/,
  ],
  'a part without a name': [valid('Content-Disposition: form-data\r\n\r\nx'), /has no name/],
  'a part with an empty name': [valid('Content-Disposition: form-data; name=""\r\n\r\nx'), /has no name/],
  'two names': [
    valid('Content-Disposition: form-data; name="a"; name="b"\r\n\r\nx'),
    /is not form-data with/,
  ],
  'a name that does not end': [
    valid('Content-Disposition: form-data; name="a\r\n\r\nx'),
    /is not form-data with/,
  ],
  'a name that ends in a backslash': [
    valid('Content-Disposition: form-data; name="a\\"\r\n\r\nx'),
    /is not form-data with/,
  ],
  'text after a name': [valid('Content-Disposition: form-data; name="a"b\r\n\r\nx'), /is not form-data with/],
  'two dispositions': [
    valid('Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"\r\n\r\nx'),
    /the header content-disposition twice/,
  ],
  'a folded header': [valid('Content-Disposition: form-data;\r\n name="a"\r\n\r\nx'), /is no header/],
  'a line that is no header': [valid(`${PART.split('\r\n')[0] ?? ''}\r\nhello\r\n\r\nx`), /is no header/],
  'a header without a name': [valid(`: x\r\n${PART}`), /is no header/],
  'a NUL in a name': [valid('Content-Disposition: form-data; name="a\0"\r\n\r\nx'), /control character/],
  'a carriage return in a name': [
    valid('Content-Disposition: form-data; name="a\rb"\r\n\r\nx'),
    /control character/,
  ],
  'a name that is not UTF-8': [
    valid('Content-Disposition: form-data; name="\xff"\r\n\r\nx'),
    /are not UTF-8/,
  ],
  base64: [valid(`Content-Transfer-Encoding: base64\r\n${PART}`), /transfer encoding "base64"/],
  'huge headers': [valid(`X-Long: ${'x'.repeat(9_000)}\r\n${PART}`), /more than 8192 bytes/],
  'many headers': [
    valid(`${Array.from({ length: 20 }, (_, index) => `X-${String(index)}: x\r\n`).join('')}${PART}`),
    /more than 16 headers/,
  ],
  'many parts': [`${`--b\r\n${PART}\r\n`.repeat(2_001)}--b--`, /more than 2000 parts/],
  'a file name in no character set that is known': [
    valid(`Content-Disposition: form-data; name="a"; filename*=latin1''x\r\n\r\nx`),
    /filename\*/,
  ],
  'a file name with an escaped NUL': [
    valid(`Content-Disposition: form-data; name="a"; filename*=UTF-8''%00\r\n\r\nx`),
    /filename\*/,
  ],
  'a file name with a broken escape': [
    valid(`Content-Disposition: form-data; name="a"; filename*=UTF-8''%ff\r\n\r\nx`),
    /filename\*/,
  ],
};

const badTypes: readonly (readonly [string | undefined, string])[] = [
  [undefined, 'SUTRA.COMPAT.MEDIA_TYPE'],
  ['application/json', 'SUTRA.COMPAT.MEDIA_TYPE'],
  ['multipart/mixed; boundary=b', 'SUTRA.COMPAT.MEDIA_TYPE'],
  ['multipart/form-data', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary=', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary=""', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary="b', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary="b "', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary=b; boundary=c', 'SUTRA.COMPAT.MULTIPART_INVALID'],
  [`multipart/form-data; boundary=${'b'.repeat(71)}`, 'SUTRA.COMPAT.MULTIPART_INVALID'],
  ['multipart/form-data; boundary="b\\\r\nb"', 'SUTRA.COMPAT.MULTIPART_INVALID'],
];

const names: readonly (readonly [disposition: string, name: string, fileName: string | null])[] = [
  ['form-data; name="a"', 'a', null],
  ['form-data;name=a;filename=b.bpmn', 'a', 'b.bpmn'],
  ['FORM-DATA ; NAME="a" ; FILENAME=""', 'a', ''],
  ['form-data; name="a";', 'a', null],
  ['form-data; filename="b"; name="a"', 'a', 'b'],
  ['form-data; name="say \\"hi\\" \\\\ there"', 'say "hi" \\ there', null],
  ['form-data; name="a"; filename="C:\\models\\b.bpmn"', 'a', 'C:\\models\\b.bpmn'],
  ['form-data; name="a; filename=\\"b\\""', 'a; filename="b"', null],
  ['form-data; name="Prüfung €"; filename="Prüfung.bpmn"', 'Prüfung €', 'Prüfung.bpmn'],
  ['form-data; name="a"; filename="%22x%22.bpmn"', 'a', '%22x%22.bpmn'],
  [`form-data; name="a"; filename*=UTF-8''Pr%C3%BCfung.bpmn`, 'a', 'Prüfung.bpmn'],
  [`form-data; name="a"; filename="plain.bpmn"; filename*=UTF-8''other.bpmn`, 'a', 'plain.bpmn'],
  ['form-data; name="a"; creation-date="today"', 'a', null],
];

describe('the reader of multipart bodies', () => {
  for (const [what, [body, reason]] of Object.entries(malformed)) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => read(body),
        (error) =>
          error instanceof EngineError &&
          error.code === 'SUTRA.COMPAT.MULTIPART_INVALID' &&
          reason.test(error.message),
        what,
      );
    });
  }

  for (const [contentType, code] of badTypes) {
    it(`refuses the content type ${JSON.stringify(contentType ?? null)}`, () => {
      assert.throws(
        () => readMultipart(contentType, Buffer.from(valid(PART))),
        (error) => error instanceof EngineError && error.code === code,
      );
    });
  }

  for (const [disposition, name, fileName] of names) {
    it(`reads ${disposition}`, () => {
      assert.deepEqual(named(disposition), { name, fileName });
    });
  }

  it('takes what real clients put around the parts', () => {
    for (const body of [
      valid(PART),
      `\r\n${valid(PART)}`,
      `--b \t\r\n${PART}\r\n--b-- \r\n`,
      `--b\r\n${PART}\r\n--b--`,
      valid(`Content-Transfer-Encoding: 8bit\r\nContent-Type: text/plain; charset=UTF-8\r\n${PART}`),
    ]) {
      assert.deepEqual(read(body).map(textOf), ['x'], JSON.stringify(body));
    }
    assert.deepEqual(read(valid(PART), 'Multipart/Form-Data; charset=utf-8; boundary="b"').length, 1);
    assert.deepEqual(read('--b--\r\n'), []);
  });

  it('keeps the bytes of a part, whatever they are', () => {
    const content = '\r\n--\r\n--c\r\n--a--\r\n-\r\n--\0\xff\r\n';
    const [part] = read(valid(`Content-Disposition: form-data; name="a"; filename="f"\r\n\r\n${content}`));
    assert.equal(Buffer.from(part?.content ?? []).toString('latin1'), content);
  });

  it('refuses a field that is not UTF-8 when its text is wanted', () => {
    const [part] = read(valid('Content-Disposition: form-data; name="a"\r\n\r\n\xff'));
    assert.ok(part !== undefined);
    assert.throws(() => textOf(part), { code: 'SUTRA.COMPAT.MULTIPART_INVALID' });
  });

  it('reads what any writer of forms writes, as it was given', async () => {
    // Writers of today escape no backslash, those of before did: one before a quote or another one is not told apart.
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
      .filter((it) => it.isWellFormed() && !it.includes('\\'));
    const entry = fc.record({
      name: text,
      fileName: fc.option(text),
      content: fc.uint8Array({ maxLength: 200 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 6 }), async (entries) => {
        const form = new FormData();
        for (const { name, fileName, content } of entries) {
          if (fileName === null) form.append(name, Buffer.from(content).toString('hex'));
          else form.append(name, new Blob([Buffer.from(content)]), fileName);
        }
        const response = new Response(form);
        const contentType = response.headers.get('content-type') ?? '';
        const parts = readMultipart(contentType, new Uint8Array(await response.arrayBuffer()));
        const sent = entries.map(({ name, fileName, content }) => ({
          name: escaped(name.replace(/\r\n|\r|\n/g, '\r\n')),
          fileName: fileName === null ? null : escaped(fileName),
          text:
            fileName === null
              ? Buffer.from(content).toString('hex')
              : Buffer.from(content).toString('latin1'),
        }));
        assert.deepEqual(
          parts.map(({ name, fileName, content }) => ({
            name,
            fileName,
            text: Buffer.from(content).toString('latin1'),
          })),
          sent,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('takes a body apart in one way, or refuses it, whatever is done to it', () => {
    const pieces = [
      '--b',
      '\r\n',
      '--',
      'b',
      'x',
      '\0',
      'Content-Disposition: form-data; name="a"',
      ': ',
      '"',
      ';',
      '\n',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (chosen) => {
        const body = Buffer.from(`--b\r\n${chosen.join('')}`);
        let parts: readonly FormPart[];
        try {
          parts = read(body);
        } catch (error) {
          assert.ok(
            error instanceof EngineError && error.code === 'SUTRA.COMPAT.MULTIPART_INVALID',
            String(error),
          );
          return;
        }
        for (const { content } of parts) {
          assert.ok(!Buffer.concat([Buffer.from('\r\n'), content]).includes('\r\n--b'), body.toString());
        }
        assert.match(body.toString(), /--b--[ \t]*(?:\r\n)?$/);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** As forms write it in a quoted value. */
function escaped(text: string): string {
  return text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

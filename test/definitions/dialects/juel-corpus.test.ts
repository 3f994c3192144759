/**
 * The JUEL of public models: each text is translated or refused, and what comes of it is recorded.
 *
 * `juel-corpus-outcomes.tsv` has a row for each text and kind of place: the element, the attribute where it is one, the
 * text as JSON, and the FEEL or the reason. To write it anew after a deliberate change: SUTRA_TEST_CORPUS_WRITE=true.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { translateJuel } from '../../../definitions/dialects/juel-translate.ts';
import { compileExpression } from '../../../definitions/feel.ts';
import type { XmlElement } from '../../../definitions/xml/document.ts';
import { readXml } from '../../../definitions/xml/read-xml.ts';
import { recordEvidence } from '../../support/evidence.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const outcomesFile = new URL('juel-corpus-outcomes.tsv', import.meta.url);

const JUEL = /[$#]\{/;
/** Their text is in the language of a script, where braces mean something else. */
const SCRIPTS: ReadonlySet<string> = new Set(['script', 'documentation']);

interface Found {
  readonly place: string;
  readonly text: string;
}

function expressionsIn(element: XmlElement): readonly Found[] {
  const { localName, attributes, text, children } = element;
  const inAttributes = attributes.map(({ localName: name, value }) => ({
    place: `${localName}@${name}`,
    text: value,
  }));
  const here = SCRIPTS.has(localName) ? [] : [...inAttributes, { place: localName, text }];
  return [...here.filter((found) => JUEL.test(found.text)), ...children.flatMap(expressionsIn)];
}

function corpusExpressions(): readonly Found[] {
  const paths = readFileSync(`${corpus}/MANIFEST.tsv`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '')
    .filter((path) => path !== '' && !path.startsWith('dmn-tck/'));
  return paths.flatMap((path) => {
    const content = readFileSync(`${corpus}/${path}`);
    const { document } = readXml({ path, content });
    return document === null ? [] : expressionsIn(document.root);
  });
}

function outcomeOf({ place, text }: Found): string {
  const translation = translateJuel(text);
  const written = `${place}\t${JSON.stringify(text)}`;
  if (translation.kind === 'refused') {
    const { reason, offset, message } = translation;
    assert.ok(offset >= 0 && offset <= text.length && message.length > 15, written);
    return `${written}\trefused\t${reason} at ${offset}: ${message}`;
  }
  assert.equal(compileExpression(translation.text).text, translation.text);
  return `${written}\tfeel\t${translation.text}`;
}

if (existsSync(`${corpus}/MANIFEST.tsv`)) {
  describe('the JUEL of the public models', () => {
    test('has the recorded outcomes', () => {
      const lines = [...new Set(corpusExpressions().map(outcomeOf))].toSorted();
      assert.ok(lines.length >= 100, `only ${lines.length} texts`);
      const table = `${['place\tjuel\toutcome\tresult', ...lines].join('\n')}\n`;
      if (process.env['SUTRA_TEST_CORPUS_WRITE'] === 'true') writeFileSync(outcomesFile, table);
      assert.deepEqual(readFileSync(outcomesFile, 'utf8').split('\n'), table.split('\n'));
      recordEvidence('corpus');
    });

    test('is translated for the most part', () => {
      const rows = readFileSync(outcomesFile, 'utf8').trim().split('\n').slice(1);
      const refused = rows.filter((row) => row.split('\t')[2] === 'refused');
      assert.ok(
        refused.length > 5 && refused.length < rows.length / 8,
        `${refused.length} of ${rows.length}`,
      );
    });
  });
}

/** The expressions of the DMN TCK, where it is there: SUTRA_TEST_CORPUS, or `shared/corpus` beside the repository. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseExpression, parseUnaryTests } from '../../../definitions/feel/parse-expression.ts';
import { readDmnTexts, type FeelText } from '../../support/dmn-texts.ts';
import { recordEvidence } from '../../support/evidence.ts';
import { printExpression, printUnaryTests, withoutSpans } from '../../support/feel-print.ts';

const corpus =
  process.env['SUTRA_TEST_CORPUS'] ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const tck = `${corpus}/dmn-tck`;

/** Reads a text, and what is printed of its tree. */
function readTwice({ form, text }: FeelText, knownNames: readonly string[]): readonly [unknown, unknown] {
  if (form === 'tests') {
    const tests = parseUnaryTests(text, { knownNames });
    return [tests, parseUnaryTests(printUnaryTests(tests), { knownNames })];
  }
  const expression = parseExpression(text, { knownNames });
  return [expression, parseExpression(printExpression(expression), { knownNames })];
}

if (existsSync(tck)) {
  describe('the expressions of the DMN TCK', () => {
    it('are read, and again when they are printed', () => {
      const paths = readdirSync(tck, { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.dmn'),
      );
      const counts = { expression: 0, tests: 0 };
      const seen = new Set<string>();
      const signedNames = new Set<string>();
      for (const path of paths) {
        const { texts, names } = readDmnTexts(path, readFileSync(`${tck}/${path}`));
        for (const source of texts) {
          counts[source.form] += 1;
          const key = JSON.stringify([source, names]);
          if (seen.has(key)) continue;
          seen.add(key);
          const [first, second] = readTwice(source, names);
          assert.deepEqual(withoutSpans(second), withoutSpans(first), `${path}: ${source.text}`);
          if (source.form === 'expression' && names.includes(source.text)) {
            assert.deepEqual(withoutSpans(first), { kind: 'name', name: source.text });
            if (/\W/.test(source.text.replaceAll(' ', ''))) signedNames.add(source.text);
          }
        }
      }
      assert.ok(paths.length >= 60, `only ${paths.length} files`);
      assert.ok(counts.expression >= 1_600 && counts.tests >= 450, JSON.stringify(counts));
      assert.ok(signedNames.has('decision A 2.1') && signedNames.has('Pre-bureau risk category'));
      recordEvidence('corpus');
    });
  });
}

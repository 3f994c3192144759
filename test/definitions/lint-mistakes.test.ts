/** The mistakes that docs/lint.md shows. That the page is what the linter prints is seen by the test of generated pages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lintFile } from '../../definitions/lint-file.ts';
import { mistakes, type Mistake } from '../../docs/lint-mistakes.ts';
import { lintTexts, soundPackage, withMistake } from '../../docs/lint-page.ts';

const sound = soundPackage();

/** `file:line:column code` of each finding. */
async function found(files: Parameters<typeof lintTexts>[0]): Promise<readonly string[]> {
  return (await lintTexts(files)).map(({ code, place: { file = '', line = 0, column = 0 } }) => {
    return `${file}:${line}:${column} ${code}`;
  });
}

describe('typical mistakes', () => {
  it('are twenty, each of them another one', () => {
    assert.equal(mistakes.length, 20);
    assert.equal(new Set(mistakes.map(({ title }) => title)).size, 20);
    assert.equal(new Set(mistakes.map(({ codes }) => codes.join())).size, 20);
  });

  it('are made in a package without any', async () => {
    assert.ok(sound.size >= 4);
    assert.deepEqual(await found(sound), []);
  });

  for (const mistake of mistakes) {
    it(`show their codes where they are made, and nothing else: ${mistake.title}`, async () => {
      const { files, marked } = withMistake(sound, mistake);
      assert.ok(marked.length > 0);
      assert.deepEqual(
        await found(files),
        mistake.codes.map((code, index) => `${marked[index] ?? 'no place'} ${code}`),
      );
    });
  }

  it('that a file shows by itself are those that it shows in its package, or less', async () => {
    let count = 0;
    for (const mistake of mistakes) {
      const { files } = withMistake(sound, mistake);
      const ofPackage = await found(files);
      for (const [path, text] of files) {
        const alone = lintFile({ path, content: new TextEncoder().encode(text) }) ?? [];
        for (const { code, place } of alone) {
          const shown = `${path}:${place.line ?? 0}:${place.column ?? 0} ${code}`;
          assert.ok(ofPackage.includes(shown), `${mistake.title}: ${shown}`);
          count += 1;
        }
      }
    }
    assert.ok(count >= 12, String(count));
  });

  it('that change nothing, or something that is not there, are seen', () => {
    const [mistake] = mistakes;
    assert.ok(mistake !== undefined);
    const edit = { file: 'channels.yaml', right: 'name: no such', wrong: 'name: x' };
    const broken: Mistake = { ...mistake, edits: [edit] };
    assert.throws(() => withMistake(sound, broken), /"name: no such" must be once in channels\.yaml/);
    const twice: Mistake = { ...mistake, edits: [{ ...edit, right: 'transport: http' }] };
    assert.throws(() => withMistake(sound, twice), /must be once/);
    for (const { edits } of mistakes) {
      assert.ok(edits.some(({ right, wrong }) => right !== wrong.replaceAll('▮', '')));
    }
  });
});

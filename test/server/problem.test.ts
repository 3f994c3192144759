import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../config/engine-error.ts';
import { silentLog } from '../../engine/observe.ts';
import { readCodeTables } from '../../docs/code-tables.ts';
import { codeRegistry, codeTables } from '../../server/code-registry.ts';
import { encodeProblem, makeProblem, problemOf } from '../../server/problem.ts';

describe('a problem document', () => {
  it('has the status of the code, a title from the code, and the facts of the error', () => {
    const error = new EngineError('SUTRA.EXTERNAL_TASK.LOCK_LOST', 'one sentence', {
      attributes: { taskId: 't' },
      place: { file: 'a.bpmn', line: 3 },
      cause: new Error('hidden'),
    });
    assert.deepEqual(problemOf(error, silentLog), {
      problem: {
        type: 'about:blank',
        title: 'Lock lost',
        status: 409,
        code: 'SUTRA.EXTERNAL_TASK.LOCK_LOST',
        detail: 'one sentence',
        attributes: { taskId: 't', place: { file: 'a.bpmn', line: 3 } },
      },
      headers: {},
    });
  });

  it('tells the client when to come back at 429 and 503', () => {
    const at503 = problemOf(new EngineError('SUTRA.PERSISTENCE_UNAVAILABLE', 'x'), silentLog);
    assert.deepEqual(at503.headers, { 'retry-after': '2' });
    const at429 = new EngineError('SUTRA.HTTP.PIPELINE_TOO_DEEP', 'x', {
      attributes: { retryAfterMs: 4_001 },
    });
    assert.deepEqual(problemOf(at429, silentLog).headers, { 'retry-after': '5' });
  });

  it('challenges at 401', () => {
    const bearer = problemOf(new EngineError('SUTRA.ADMIN.KEY_REQUIRED', 'x'), silentLog);
    assert.deepEqual(bearer.headers, { 'www-authenticate': 'Bearer realm="sutra"' });
    const basic = new EngineError('SUTRA.HTTP_CHANNEL.CREDENTIALS_INVALID', 'x', {
      attributes: { scheme: 'basic' },
    });
    assert.match(problemOf(basic, silentLog).headers['www-authenticate'] ?? '', /^Basic /);
  });

  const strangers: readonly unknown[] = [
    new Error('secret'),
    'secret',
    null,
    undefined,
    { message: 'secret' },
  ];
  for (const thrown of strangers) {
    it(`says nothing of a thrown ${String(thrown)}`, () => {
      const { problem } = problemOf(thrown, silentLog);
      assert.equal(problem.status, 500);
      assert.equal(problem.code, 'SUTRA.INTERNAL');
      assert.doesNotMatch(JSON.stringify(problem), /secret/);
    });
  }

  it('cuts a detail that quotes too much, and survives any attribute', () => {
    const { problem } = makeProblem(400, 'X', 'y'.repeat(3_000), {
      big: 1n,
      nothing: undefined,
      half: '\ud800',
    });
    assert.equal(problem.detail.length, 2_001);
    const parsed = JSON.parse(encodeProblem(problem).toString('utf8')) as Record<string, unknown>;
    assert.deepEqual(parsed['attributes'], { big: '1', half: '\ud800' });
  });

  it('titles a code of an author with the phrase of its status', () => {
    assert.equal(makeProblem(422, 'card-declined', 'x').problem.title, 'Unprocessable Entity');
  });
});

describe('the code registry', () => {
  it('holds the table of every folder that the server is built on', async () => {
    const found = (await readCodeTables()).map(({ folder }) => folder).filter((folder) => folder !== 'cli');
    assert.deepEqual(codeTables.map(([folder]) => folder).sort(), found.sort());
  });

  it('has a valid row for every code, and each code once', () => {
    const count = codeTables.reduce((sum, [, table]) => sum + Object.keys(table).length, 0);
    assert.equal(codeRegistry.size, count);
    for (const [code, row] of codeRegistry) {
      assert.match(code, /^SUTRA(?:\.[A-Z][A-Z0-9_]*)+$/);
      assert.ok(row.httpStatus >= 400 && row.httpStatus <= 599, code);
      assert.ok(row.meaning.length > 10 && row.remedy.length > 10, code);
    }
  });
});

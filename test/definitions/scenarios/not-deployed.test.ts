import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePackage, packageIdOf } from '../../../definitions/package.ts';
import { filesOf, namedTexts } from './scenario-package.ts';

describe('scenarios are not part of what is deployed', () => {
  const without = filesOf(namedTexts);
  const withScenarios = filesOf({
    ...namedTexts,
    'scenarios/a.yaml': 'not: one',
    'scenarios/notes.md': 'words',
  });

  it('a package with them has the same id, and stores none of them', () => {
    const { model, findings } = compilePackage(withScenarios);
    assert.deepEqual(
      findings.map(({ severity, place }) => [severity, place.file]),
      [['warning', 'scenarios/notes.md']],
    );
    assert.equal(model?.deploymentId, compilePackage(without).model?.deploymentId);
    assert.equal(packageIdOf(withScenarios, 'x'), packageIdOf(without, 'x'));
    assert.deepEqual(
      model?.files.map(({ path }) => path),
      Object.keys(namedTexts).sort(),
    );
  });

  it('any other file still makes another id', () => {
    const other = compilePackage(filesOf({ ...namedTexts, 'README.md': 'scenarios/a.yaml' }));
    assert.notEqual(other.model?.deploymentId, compilePackage(without).model?.deploymentId);
  });
});

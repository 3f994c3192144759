import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { loadSettings } from '../../config/load.ts';
import { formatSettings, formatSettingsJson } from '../../config/print.ts';
import { settingKeys } from '../../config/schema.ts';

const loaded = loadSettings({
  cwd: tmpdir(),
  env: {
    SUTRA_DATASOURCE_URL: 'postgres://engine:hunter2@db:5432/sutra?sslpassword=hunter3',
    SUTRA_ADMIN_API_KEY: 'env:THE_KEY',
    SUTRA_INBOX_RETENTION: 'P1W',
    THE_KEY: 'hunter4',
  },
});

describe('printed settings', () => {
  test('the table has a line for every key, with its canonical value and its source', () => {
    const lines = formatSettings(loaded).split('\n');
    assert.equal(lines[0], 'file: none');
    for (const key of settingKeys) {
      assert.ok(
        lines.some((line) => line.startsWith(`${key} `)),
        key,
      );
    }
    assert.ok(lines.some((line) => /^sutra\.inbox\.retention +P7D +environment$/.test(line)));
    assert.ok(lines.some((line) => /^sutra\.deployments\.dir +- +default$/.test(line)));
    assert.ok(lines.some((line) => /^sutra\.http\.port +8080 +default$/.test(line)));
  });

  test('the JSON form has the same entries', () => {
    const parsed: unknown = JSON.parse(formatSettingsJson(loaded));
    assert.deepEqual(parsed, { file: null, settings: loaded.entries });
  });

  test('no secret is printed, only where it comes from', () => {
    for (const text of [formatSettings(loaded), formatSettingsJson(loaded)]) {
      assert.doesNotMatch(text, /hunter/);
      assert.match(text, /env:THE_KEY/);
      assert.match(text, /postgres:\/\/engine:\*\*\*@db:5432\/sutra/);
    }
  });
});

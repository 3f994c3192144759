/**
 * Orders version texts as people read them: `1.2.0` before `1.10.0`, `2.0.0-rc1` after `2.0.0`'s prefix
 * by plain comparison. Works on whole folder names too (`tenant--module--version`).
 */
const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'variant' });

export function compareVersions(left: string, right: string): number {
  return collator.compare(left, right);
}

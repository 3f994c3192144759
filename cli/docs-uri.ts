import { packageVersion } from './version.ts';

/** Where a page of `docs/` of this very version is, for those who have only the output of a command. */
export function docsUri(page: string): string {
  return `https://unpkg.com/sutra-engine@${packageVersion()}/docs/${page}`;
}

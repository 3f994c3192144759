/**
 * Proof that a part of the tests really ran, so that a run in which a database, the corpus or the programs of the examples
 * were missing cannot pass for a complete one. `npm test -- --require postgresql,corpus` asks for it.
 */
import { appendFileSync } from 'node:fs';

export const evidenceParts = ['embedded', 'postgresql', 'corpus', 'programs'] as const;
export type EvidencePart = (typeof evidenceParts)[number];

/** The variable that names the file of one run: a part a line. */
export const EVIDENCE_VARIABLE = 'SUTRA_TEST_EVIDENCE';

/** Call it from the test's body once the part has been used. Does nothing outside a recorded run. */
export function recordEvidence(part: EvidencePart): void {
  const file = process.env[EVIDENCE_VARIABLE];
  if (file !== undefined && file !== '') {
    appendFileSync(file, `${part}\n`);
  }
}

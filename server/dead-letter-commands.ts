/** A person's two decisions about a dead letter. */
import { EngineError } from '../config/engine-error.ts';
import type { DeadLetters } from '../engine/intake/dead-letters.ts';
import type { Log, Meter } from '../engine/observe.ts';
import type { Database } from '../engine/store/database.ts';
import { deleteDeadLetters, resolveDeadLetterIncidents } from '../engine/store/dead-letters.ts';
import type { DeadLetterCommands } from './operations.ts';

export interface DeadLetterCommandOptions {
  readonly database: Database;
  readonly letters: Pick<DeadLetters, 'replay'>;
  readonly meter: Meter;
  readonly log: Log;
}

export function deadLetterCommands({
  database,
  letters,
  meter,
  log,
}: DeadLetterCommandOptions): DeadLetterCommands {
  return {
    replay: async (deadLetterId, correction) => {
      const replayed = await letters.replay(deadLetterId, correction);
      log.info('dead-letter.replayed', { deadLetterId, ...replayed, isCorrected: correction !== null });
      return replayed;
    },
    discard: async (deadLetterId) => {
      const [discarded] = await database.transaction(async (runner) => {
        const gone = await deleteDeadLetters(runner, [deadLetterId]);
        if (gone.length > 0) await resolveDeadLetterIncidents(runner, [deadLetterId]);
        return gone;
      });
      if (discarded === undefined) {
        throw new EngineError('SUTRA.DEAD_LETTER.NOT_FOUND', `there is no dead letter ${deadLetterId}`, {
          attributes: { deadLetterId },
        });
      }
      meter.add('sutra_dead_letters_discarded_total', 1, { kind: discarded.kind });
      log.info('dead-letter.discarded', { deadLetterId, kind: discarded.kind });
    },
  };
}

/**
 * `q:retry`: how often a call is attempted, and when.
 *
 * What contradicts itself is refused here; what contradicts the channel of the call, where all channels are known
 * (cross-check.ts).
 */
import { parseDuration } from '../../config/iso8601.ts';
import type { RetryDefinition } from '../model.ts';
import { attributeOf, type XmlElement } from '../xml/document.ts';
import { label, qChild, type ReadContext } from './read-context.ts';

const DEFAULT_INITIAL_DELAY_MS = 1_000;
const DEFAULT_COEFFICIENT = 2;
const DEFAULT_MAX_DELAY_MS = 300_000;

/** Null when there is none, or a contradiction was reported. */
export function readRetry(context: ReadContext, element: XmlElement): RetryDefinition | null {
  const retry = qChild(element, 'retry');
  if (retry === null) {
    return null;
  }
  const maxAttempts = Number(attributeOf(retry, 'maxAttempts') ?? NaN);
  const initialDelayMs = durationOf(retry, 'initialDelay') ?? DEFAULT_INITIAL_DELAY_MS;
  const maxDelayMs = durationOf(retry, 'maxDelay');
  const fault = contradictionOf(maxAttempts, initialDelayMs, maxDelayMs);
  if (fault !== null) {
    context.report.error('SUTRA.Q.RETRY_CONTRADICTORY', retry, `q:retry of ${label(element)} ${fault}`);
    return null;
  }
  return {
    maxAttempts,
    initialDelayMs,
    backoffCoefficient: Number(attributeOf(retry, 'backoffCoefficient') ?? DEFAULT_COEFFICIENT),
    // An initial delay above the default maximum is meant as it is written.
    maxDelayMs: maxDelayMs ?? Math.max(DEFAULT_MAX_DELAY_MS, initialDelayMs),
    nonRetryableCodes: (attributeOf(retry, 'nonRetryableCodes') ?? '')
      .split(/[\s,]+/)
      .filter((code) => code !== ''),
  };
}

/** Null as well for what is no duration, which was reported. */
function durationOf(retry: XmlElement, attribute: string): number | null {
  const written = attributeOf(retry, attribute);
  const duration = written === null ? null : parseDuration(written);
  return duration?.ok === true ? duration.ms : null;
}

/** The rest of a sentence, or null. */
function contradictionOf(
  maxAttempts: number,
  initialDelayMs: number,
  maxDelayMs: number | null,
): string | null {
  if (maxAttempts === 1) return 'allows one attempt, which is none more; leave q:retry out, or allow 2';
  return maxDelayMs !== null && maxDelayMs < initialDelayMs
    ? 'has a maxDelay below its initialDelay; raise the one or lower the other'
    : null;
}

/**
 * Who sends the scenario's messages on HTTP channels: a request at the engine's own HTTP intake, with the channel's
 * credentials, without a port.
 *
 * H1 A request that is held is let go when `sutra.http.max-hold` has passed by the scenario's clock, as there.
 */
import type { ChannelDefinition } from '../../definitions/package-model.ts';
import type { SendStep } from '../../definitions/scenarios/scenario.ts';
import { inboundPathOf } from '../../channels/http/bindings.ts';
import type { HttpIntake, HttpIntakeAnswer, HttpIntakeMatch } from '../../channels/http/intake.ts';
import { silentLog } from '../../engine/observe.ts';
import type { InboundOutcome, InboundPort } from '../../engine/transport.ts';
import { makeProblem, problemOf, PROBLEM_CONTENT_TYPE, type ProblemAnswer } from '../problem.ts';
import type { FoundReply } from './judge.ts';

export interface HttpSenderOptions {
  readonly intake: () => HttpIntake;
  readonly maxHoldMs: number;
}

/** A request that was sent: the engine has taken the message, or has refused it. */
export interface SentRequest {
  readonly outcome: InboundOutcome;
  /** Resolves when the engine answers. */
  readonly reply: Promise<FoundReply>;
}

interface Held {
  readonly leave: AbortController;
  readonly untilMs: number;
  readonly reply: Promise<FoundReply>;
}

export class HttpSender {
  readonly #options: HttpSenderOptions;
  readonly #held = new Set<Held>();
  #taken: ((outcome: InboundOutcome) => void) | null = null;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
  }

  /** Notices when the engine has taken a message, which is before its sender gets an answer. */
  before(engine: InboundPort): InboundPort {
    return {
      deliver: async (delivery) => {
        const outcome = await engine.deliver(delivery);
        this.#taken?.(outcome);
        return outcome;
      },
    };
  }

  /** Null: the channel is bound to no path. @throws EngineError when the message is refused. */
  async send({ bind }: ChannelDefinition, step: SendStep, nowMs: number): Promise<SentRequest | null> {
    const path = inboundPathOf(bind);
    const match = path === null ? null : this.#options.intake().match(path);
    if (match === null) return null;
    const leave = new AbortController();
    const taken = new Promise<InboundOutcome>((resolve) => {
      this.#taken = resolve;
    });
    const handled = this.#options.intake().handle(match, {
      headers: { ...step.headers, 'content-type': step.contentType, ...credentialsOf(match) },
      disconnected: leave.signal,
      readBody: () => Promise.resolve(step.body),
    });
    // Refused before or by the engine: then this is what rejects.
    const outcome = await Promise.race([taken, handled.then(() => taken)]);
    const held: Held = { leave, untilMs: nowMs + this.#options.maxHoldMs, reply: handled.then(replyOf) };
    this.#held.add(held);
    void held.reply.finally(() => this.#held.delete(held)).catch(() => {});
    return { outcome, reply: held.reply };
  }

  /** Lets go those who have been held for too long at `nowMs`. */
  async letGo(nowMs: number): Promise<void> {
    for (const held of [...this.#held]) {
      if (held.untilMs > nowMs) continue;
      held.leave.abort();
      await held.reply;
    }
  }
}

function credentialsOf({ binding }: HttpIntakeMatch): Readonly<Record<string, string>> {
  if (binding.kind === 'ambiguous') return {};
  const { credentials } = binding;
  if (credentials.kind === 'none' || credentials.kind === 'unresolved') return {};
  return { [credentials.headerName]: credentials.headerValue };
}

function replyOf(answer: HttpIntakeAnswer): FoundReply {
  switch (answer.kind) {
    case 'reply': {
      const { status, contentType, body, headers } = answer;
      return { status, contentType, body, headers };
    }
    case 'json':
      return jsonReply(answer.status, 'application/json', answer.value, answer.headers);
    case 'problem':
      return problemReply(makeProblem(answer.status, answer.code, answer.detail, answer.attributes));
  }
}

/** What the sender of a message that is refused with `error` gets. */
export function refusalReply(error: unknown): FoundReply {
  return problemReply(problemOf(error, silentLog));
}

function problemReply({ problem, headers }: ProblemAnswer): FoundReply {
  return jsonReply(problem.status, PROBLEM_CONTENT_TYPE, problem, headers);
}

function jsonReply(
  status: number,
  contentType: string,
  value: object,
  headers: Readonly<Record<string, string>>,
): FoundReply {
  return { status, contentType, body: Buffer.from(JSON.stringify(value)), headers };
}

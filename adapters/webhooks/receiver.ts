import { Webhook as Signer } from 'standardwebhooks';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';
import { pauseAskedFor } from './backoff.ts';

/** Where events are sent, and what they are signed with. */
export interface Webhook {
  /** What tells it from the others in the records of the store. */
  readonly destination: string;
  readonly url: string;
  /** As Standard Webhooks writes it: `whsec_` and the key in base64. */
  readonly secret: string;
}

/** What became of one attempt; `pause` is what the receiver asked for, in milliseconds. */
export type Attempt =
  | { readonly outcome: 'delivered' }
  /** The receiver refuses this event, or fails; `reason` is for operators and holds no value. */
  | { readonly outcome: 'refused' | 'failed'; readonly reason: string; readonly pause: number };

/** How long a receiver may take to answer, in milliseconds. */
export const patience = 10_000;

/** Statuses of the 400s that speak of the receiver or of the moment, and not of the event. */
const passing = new Set([408, 425, 429]);

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z_]{2,60}$/.test(code) ? `can not be reached (${code})` : 'can not be reached';
};

/** One receiver of events, called as Standard Webhooks says: signed anew for each attempt, without redirects. */
export class Receiver {
  private readonly signer: Signer;
  private readonly open = new Set<AbortController>();

  constructor(private readonly webhook: Webhook) {
    this.signer = new Signer(webhook.secret);
  }

  /** Its host, by which operators know it: the rest of the URL may be a secret. */
  get host(): string {
    return new URL(this.webhook.url).host;
  }

  /** Sends an event once; `now` is the time of the attempt. It never rejects. */
  async send({ id, body }: ClaimedEvent, now: number): Promise<Attempt> {
    const abort = new AbortController();
    const deadline = setTimeout(() => abort.abort(), patience);
    this.open.add(abort);
    try {
      const response = await fetch(this.webhook.url, {
        method: 'POST',
        redirect: 'manual',
        signal: abort.signal,
        headers: this.headersOf(id, body, now),
        body,
      });
      // What it says is of no interest, however much it is.
      await response.body?.cancel();
      return attemptOf(response, now);
    } catch (error) {
      const reason = abort.signal.aborted ? `no answer within ${patience / 1_000} s` : codeOf(error);
      return { outcome: 'failed', reason, pause: 0 };
    } finally {
      clearTimeout(deadline);
      this.open.delete(abort);
    }
  }

  /** Ends the attempts that wait for an answer. */
  abandon(): void {
    for (const abort of this.open) abort.abort();
  }

  private headersOf(id: string, body: string, now: number): Record<string, string> {
    const time = new Date(now);
    return {
      'Content-Type': 'application/json',
      'User-Agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': this.signer.sign(id, time, body),
    };
  }
}

const attemptOf = ({ ok, status, headers }: Response, now: number): Attempt => {
  if (ok) return { outcome: 'delivered' };
  const refused = status >= 400 && status < 500 && !passing.has(status);
  const pause = pauseAskedFor(headers.get('retry-after'), now);
  return { outcome: refused ? 'refused' : 'failed', reason: `answered ${status}`, pause };
};

import { Webhook as Signer } from 'standardwebhooks';
import { type DeliveryResult, DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';

/** Where events are sent and how they are signed. */
export interface Webhook {
  /** Identifies the webhook in the stored events. */
  readonly destination: string;
  readonly url: string;
  /** In the format of Standard Webhooks: `whsec_` and the key in base64. */
  readonly secret: string;
}

/** How long a receiver may take to respond. */
const requestTimeoutMs = 10_000;
const maxDelayMs = 3_600_000;

/** Client errors that do not depend on the event. */
const temporaryStatuses = new Set([408, 425, 429]);

/**
 * The delay of a Retry-After header, in seconds or as a date (RFC 9110, section 10.2.3), in milliseconds from `now`.
 * 0 if the header is missing or malformed; at most one hour.
 */
export const retryAfterMsOf = (header: string | null, now: number): number => {
  if (header === null) return 0;
  const delayMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(delayMs) ? Math.min(Math.max(delayMs, 0), maxDelayMs) : 0;
};

const connectionErrorOf = (error: unknown): string => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /^[A-Z_]{2,60}$/.test(code) ? `unreachable (${code})` : 'unreachable';
};

const resultOf = ({ ok, status, headers }: Response, now: number): DeliveryResult => {
  if (ok) return { outcome: 'delivered' };
  const rejected = status >= 400 && status < 500 && !temporaryStatuses.has(status);
  const retryAfterMs = retryAfterMsOf(headers.get('retry-after'), now);
  return { outcome: rejected ? 'rejected' : 'failed', reason: `responded with ${status}`, retryAfterMs };
};

/** Sends events to one receiver as Standard Webhooks specifies. Signs every attempt anew, and follows no redirects. */
export class WebhookClient extends DeliveryTarget {
  readonly timeoutMs = requestTimeoutMs;
  readonly maxRetryDelayMs = maxDelayMs;
  // A receiver that rejects events of every kind is misconfigured.
  readonly maxRejections = 8;
  readonly stopTimeoutMs = 2_000;
  readonly messages = {
    available: 'a webhook accepts events again',
    unavailable: 'a webhook is unavailable; its events are retried later',
    rejected: 'a webhook rejected an event, which is retried later',
    expired: 'events that a webhook did not accept',
  };
  private readonly signer: Signer;
  private readonly requests = new Set<AbortController>();

  constructor(private readonly webhook: Webhook) {
    super();
    this.signer = new Signer(webhook.secret);
  }

  get destination(): string {
    return this.webhook.destination;
  }

  /** The host identifies the receiver for operators, because the rest of the URL can be a secret. */
  get host(): string {
    return new URL(this.webhook.url).host;
  }

  /** Sends an event once; `now` is the timestamp of the signature. Never rejects. */
  async send({ id, body }: ClaimedEvent, now: number): Promise<DeliveryResult> {
    const request = new AbortController();
    const timeout = setTimeout(() => request.abort(), requestTimeoutMs);
    this.requests.add(request);
    try {
      const headers = {
        'Content-Type': 'application/json',
        'User-Agent': 'Latchkey',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now / 1_000)),
        'webhook-signature': this.signer.sign(id, new Date(now), body),
      };
      const options = { method: 'POST', redirect: 'manual', signal: request.signal, headers, body } as const;
      const response = await fetch(this.webhook.url, options);
      // The body is not read, because it can be of any size.
      await response.body?.cancel();
      return resultOf(response, now);
    } catch (error) {
      const timedOut = request.signal.aborted;
      const reason = timedOut ? `no response within ${requestTimeoutMs / 1_000} s` : connectionErrorOf(error);
      return { outcome: 'failed', reason, retryAfterMs: 0 };
    } finally {
      clearTimeout(timeout);
      this.requests.delete(request);
    }
  }

  /** `events.maxAge` alone limits how long an event is kept. */
  expiryOf(): number {
    return Number.POSITIVE_INFINITY;
  }

  abort(): void {
    for (const request of this.requests) request.abort();
  }
}

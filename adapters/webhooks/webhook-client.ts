import { Webhook as Signer } from 'standardwebhooks';
import { type DeliveryResult, DeliveryTarget } from '../../application/ports/delivery-target.ts';
import type { ClaimedEvent } from '../../application/ports/event-outbox.ts';
import { type ExpiringSecret, isValidAt } from '../../application/ports/expiring-secret.ts';

/** Where events are sent and how they are signed. */
export interface Webhook {
  /** Identifies the webhook in the stored events. */
  readonly destination: string;
  readonly url: string;
  /** Each in the format of Standard Webhooks: `whsec_` and the key in base64. One of them never expires. */
  readonly secrets: readonly (ExpiringSecret & { readonly secret: string })[];
}

/** How long a receiver may take to respond. */
const requestTimeoutMs = 10_000;
const maxDelayMs = 3_600_000;

/** Client errors that do not depend on the event. */
const temporaryStatuses = new Set([408, 425, 429]);
/** Client errors about the URL or the sender, or about the event: a receiver that answers only these is misconfigured. */
const ambiguousStatuses = new Set([401, 403, 404, 405, 410]);
/** With Retry-After, they announce that the receiver is unavailable for every event (RFC 9110, RFC 6585). */
const unavailableStatuses = new Set([429, 502, 503, 504]);
/** Errors of a connection on which the event may have been sent, so that the event may be their cause. */
const lateErrors = /^(ECONNRESET|EPIPE|HPE_[A-Z_]+|UND_ERR_(SOCKET|HEADERS_[A-Z]+|BODY_TIMEOUT|RES_[A-Z_]+))$/;

/**
 * The delay of a Retry-After header, in seconds or as a date (RFC 9110, section 10.2.3), in milliseconds from `now`.
 * 0 if the header is missing or malformed; at most one hour.
 */
export const retryAfterMsOf = (header: string | null, now: number): number => {
  if (header === null) return 0;
  const delayMs = /^\s*\d+\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(delayMs) ? Math.min(Math.max(delayMs, 0), maxDelayMs) : 0;
};

const connectionFailureOf = (error: unknown): DeliveryResult => {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const reason = /^[A-Z_]{2,60}$/.test(code) ? `unreachable (${code})` : 'unreachable';
  return { outcome: lateErrors.test(code) ? 'ambiguous' : 'failed', reason, retryAfterMs: 0 };
};

const resultOf = ({ ok, status, headers }: Response, now: number): DeliveryResult => {
  if (ok) return { outcome: 'delivered' };
  const retryAfterMs = retryAfterMsOf(headers.get('retry-after'), now);
  const isOfEvent = status >= 400 && status < 500 && !temporaryStatuses.has(status) && !ambiguousStatuses.has(status);
  const isOfReceiver = unavailableStatuses.has(status) && retryAfterMs > 0;
  const outcome = isOfReceiver ? 'failed' : isOfEvent ? 'rejected' : 'ambiguous';
  return { outcome, reason: `responded with ${status}`, retryAfterMs };
};

/** The user whom an event is about; undefined if its body cannot be read. */
const userOf = (body: string): string | undefined => {
  try {
    const { data } = JSON.parse(body);
    return typeof data.email.address === 'string' ? data.email.address : undefined;
  } catch {
    return undefined;
  }
};

/** Sends events to one receiver as Standard Webhooks specifies. Signs every attempt anew, and follows no redirects. */
export class WebhookClient extends DeliveryTarget {
  readonly timeoutMs = requestTimeoutMs;
  readonly maxRetryDelayMs = maxDelayMs;
  readonly stopTimeoutMs = 2_000;
  readonly messages = {
    available: 'a webhook accepts events again',
    unavailable: 'a webhook is unavailable; its events are retried later',
    rejected: 'a webhook rejected an event, which is retried later',
    expired: 'events that a webhook did not accept',
  };
  private readonly signers: readonly (ExpiringSecret & { readonly signer: Signer })[];
  private readonly requests = new Set<AbortController>();

  constructor(private readonly webhook: Webhook) {
    super();
    this.signers = webhook.secrets.map(({ secret, expires }) => ({ signer: new Signer(secret), expires }));
  }

  get destination(): string {
    return this.webhook.destination;
  }

  /** The host identifies the receiver for operators, because the rest of the URL can be a secret. */
  get host(): string {
    return new URL(this.webhook.url).host;
  }

  /** Sends an event once; `now` is the timestamp of the signature. Throws if the event cannot be written as a request. */
  async send({ id, body }: ClaimedEvent, now: number): Promise<DeliveryResult> {
    const abort = new AbortController();
    // A receiver accepts an event if one of the signatures is that of its secret (Standard Webhooks, "Multiple Signatures").
    const signatures = this.signers
      .filter((secret) => isValidAt(secret, now))
      .map(({ signer }) => signer.sign(id, new Date(now), body));
    const headers = {
      'Content-Type': 'application/json',
      'User-Agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
    const options = { method: 'POST', redirect: 'manual', signal: abort.signal, headers, body } as const;
    const request = new Request(this.webhook.url, options);
    const timeout = setTimeout(() => abort.abort(), requestTimeoutMs);
    this.requests.add(abort);
    try {
      const response = await fetch(request);
      // The body is not read, because it can be of any size.
      await response.body?.cancel();
      return resultOf(response, now);
    } catch (error) {
      if (!abort.signal.aborted) return connectionFailureOf(error);
      return { outcome: 'ambiguous', reason: `no response within ${requestTimeoutMs / 1_000} s`, retryAfterMs: 0 };
    } finally {
      clearTimeout(timeout);
      this.requests.delete(abort);
    }
  }

  /** The user, because a receiver may be slow for some of them. */
  laneOf({ id, body }: ClaimedEvent): string {
    return userOf(body) ?? id;
  }

  /** `events.maxAge` alone limits how long an event is kept. */
  expiryOf(): number {
    return Number.POSITIVE_INFINITY;
  }

  abort(): void {
    for (const request of this.requests) request.abort();
  }
}

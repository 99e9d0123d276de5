import http, { type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
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
/** A longer response costs a new connection. */
const maxResponseBytes = 64 * 1024;
/** So does one that takes longer after its head: it would hold a connection while further events are sent. */
const maxDiscardMs = 1_000;

/** Client errors that do not depend on the event. */
const temporaryStatuses = new Set([408, 425, 429]);
/** Client errors about the URL or the sender, or about the event: a receiver that answers only these is misconfigured. */
const ambiguousStatuses = new Set([401, 403, 404, 405, 410]);
/** With Retry-After, they announce that the receiver is unavailable for every event (RFC 9110, RFC 6585). */
const unavailableStatuses = new Set([429, 502, 503, 504]);
/** Errors of a connection on which the event may have been sent, so that the event may be their cause. */
const lateErrors = /^(ECONNRESET|EPIPE|HPE_[A-Z_]+)$/;

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
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = /^[A-Z_]{2,60}$/.test(code) ? `unreachable (${code})` : 'unreachable';
  return { outcome: lateErrors.test(code) ? 'ambiguous' : 'failed', reason, retryAfterMs: 0 };
};

const resultOf = ({ statusCode: status = 0, headers }: IncomingMessage, now: number): DeliveryResult => {
  if (status >= 200 && status < 300) return { outcome: 'delivered' };
  const retryAfterMs = retryAfterMsOf(headers['retry-after'] ?? null, now);
  const isOfEvent = status >= 400 && status < 500 && !temporaryStatuses.has(status) && !ambiguousStatuses.has(status);
  const isOfReceiver = unavailableStatuses.has(status) && retryAfterMs > 0;
  const outcome = isOfReceiver ? 'failed' : isOfEvent ? 'rejected' : 'ambiguous';
  return { outcome, reason: `responded with ${status}`, retryAfterMs };
};

/** Reads a response without its content, which can be of any size, so that the connection can be used again. */
const discard = (response: IncomingMessage): void => {
  let received = 0;
  response.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxResponseBytes) response.destroy();
  });
  const timeout = setTimeout(() => response.destroy(), maxDiscardMs).unref();
  response.on('close', () => clearTimeout(timeout));
  // The result is known: the end of the process does not wait for the rest.
  response.socket.unref();
};

/** Sends a request, and resolves with the head of the response. Rejects with the error of the connection. */
const responseTo = (request: ClientRequest, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.on('response', (response) => {
      discard(response);
      resolve(response);
    });
    // A switch of protocols (RFC 9110, section 15.2.2), for which nothing asked.
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response);
    });
    request.on('error', reject);
    request.end(body);
  });

/** The error of a request that this process has ended. */
const aborted = new Error('aborted');

/** Whether the receiver had closed a kept connection (Node.js, `request.reusedSocket`). */
const wasClosedBefore = ({ reusedSocket }: ClientRequest, error: unknown): boolean =>
  reusedSocket && error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');

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
  private readonly requests = new Set<ClientRequest>();
  /** The host identifies the receiver for operators, because the rest of the URL can be a secret. */
  readonly host: string;
  private readonly receiver: RequestOptions;

  constructor(private readonly webhook: Webhook) {
    super();
    const url = new URL(webhook.url);
    this.host = url.host;
    this.receiver = { ...urlToHttpOptions(url), method: 'POST' };
    this.signers = webhook.secrets.map(({ secret, expires }) => ({ signer: new Signer(secret), expires }));
  }

  get destination(): string {
    return this.webhook.destination;
  }

  /** Sends an event once; `now` is the timestamp of the signature. Throws if the event cannot be written as a request. */
  async send({ id, body }: ClaimedEvent, now: number): Promise<DeliveryResult> {
    // A receiver accepts an event if one of the signatures is that of its secret (Standard Webhooks, "Multiple Signatures").
    const signatures = this.signers
      .filter((secret) => isValidAt(secret, now))
      .map(({ signer }) => signer.sign(id, new Date(now), body));
    const headers = {
      Accept: '*/*',
      'Content-Type': 'application/json',
      'User-Agent': 'Latchkey',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
    try {
      return resultOf(await this.post(headers, body, requestTimeoutMs), now);
    } catch (error) {
      if (error !== aborted) return connectionFailureOf(error);
      return { outcome: 'ambiguous', reason: `no response within ${requestTimeoutMs / 1_000} s`, retryAfterMs: 0 };
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
    for (const request of this.requests) request.destroy(aborted);
  }

  /** Resolves with the head of the response. Sends at once again, on a new connection, if a kept one was closed. */
  private async post(
    headers: Readonly<Record<string, string>>,
    body: string,
    timeoutMs: number,
    connection: { readonly agent?: false } = {},
  ): Promise<IncomingMessage> {
    const startMs = performance.now();
    // Not with fetch, which takes several times as much CPU time.
    const { request: open } = this.receiver.protocol === 'https:' ? https : http;
    const request = open({ ...this.receiver, ...connection, headers });
    this.requests.add(request);
    const timeout = setTimeout(() => request.destroy(aborted), timeoutMs);
    request.on('close', () => {
      clearTimeout(timeout);
      this.requests.delete(request);
    });
    try {
      const response = await responseTo(request, body);
      timeout.unref();
      return response;
    } catch (error) {
      if (!wasClosedBefore(request, error)) throw error;
      return this.post(headers, body, timeoutMs - (performance.now() - startMs), { agent: false });
    }
  }
}

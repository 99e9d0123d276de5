import type { EventExpiry } from '../../adapters/delivery/event-expiry.ts';
import type { DeliveryStatus } from '../../adapters/delivery/event-relay.ts';
import type {
  MailQueueMetrics,
  RecoveryRequestMetrics,
  WebhookMetrics,
} from '../../adapters/observability/delivery-metrics.ts';

/** The health line for an empty list of webhooks. */
export const noWebhooks = 'no webhook is configured';

type Counts = Pick<EventExpiry, 'expired' | 'error'>;

/** What the health and the metrics report of the delivery to webhooks. */
export const webhookMetrics = (
  webhooks: readonly DeliveryStatus[],
  /** The targets that are not webhooks, too. */
  targets: ReadonlySet<string>,
  { expired }: Counts,
): readonly WebhookMetrics[] => [
  ...webhooks.map((state) => ({ ...state, expired: expired.get(state.destination) ?? 0 })),
  ...[...expired]
    .filter(([destination]) => !targets.has(destination))
    .map(([destination, count]) => ({ host: '', destination, expired: count })),
];

const waiting = (pending: number | undefined): string => (pending === undefined ? '' : `, ${pending} waiting`);

const expiredSinceStart = (expired: number): string => (expired === 0 ? '' : `, ${expired} expired since the start`);

const webhookLine = ({ host, pending, error }: DeliveryStatus, expired: number): string =>
  `${host}${error === undefined ? '' : `: ${error}`}${waiting(pending)}${expiredSinceStart(expired)}`;

const cannotExpire = ({ error }: Counts): readonly string[] =>
  error === undefined ? [] : [`expired events cannot be deleted: ${error}`];

/** The health line of events: the state of each webhook, and the events that expired before they were delivered. */
export const webhooksLine = (
  webhooks: readonly DeliveryStatus[],
  targets: ReadonlySet<string>,
  expiry: Counts,
): string => {
  const lines = webhooks.map((state) => webhookLine(state, expiry.expired.get(state.destination) ?? 0));
  const others = [...expiry.expired].filter(([destination]) => !targets.has(destination));
  const expiredOthers = others.reduce((sum, [, expired]) => sum + expired, 0);
  return [
    ...(lines.length === 0 ? [noWebhooks] : lines),
    ...(expiredOthers === 0
      ? []
      : [`${expiredOthers} for webhooks that are no longer configured expired since the start`]),
    ...cannotExpire(expiry),
  ].join('; ');
};

/** Mails or requests for a recovery, and the age of the oldest one that waits, in milliseconds; 0 if none waits. */
export type QueueStatus = DeliveryStatus & { readonly oldestAgeMs: number };

/** How many wait, and for how long. */
const backlog = ({ pending, oldestAgeMs }: QueueStatus): string =>
  `${waiting(pending)}${oldestAgeMs === 0 ? '' : `, the oldest for ${Math.ceil(oldestAgeMs / 1000)} s`}`;

/** Mails and requests expire by themselves, and when they are older than events.maxAge. */
const allExpired = ({ destination, expired }: DeliveryStatus, expiry: Counts): number =>
  expired + (expiry.expired.get(destination) ?? 0);

export const mailMetrics = (state: QueueStatus, expiry: Counts): MailQueueMetrics => ({
  ...state,
  expired: allExpired(state, expiry),
  oldestAgeSeconds: state.oldestAgeMs / 1000,
});

/** The health line of queued mails. */
export const mailsLine = (state: QueueStatus, expiry: Counts): string => {
  const { error, refused } = state;
  const refusedText = refused === 0 ? '' : `, ${refused} refused since the start`;
  const expiredText = expiredSinceStart(allExpired(state, expiry));
  const line = `${error ?? 'queued mails are sent'}${backlog(state)}${refusedText}${expiredText}`;
  return [line, ...cannotExpire(expiry)].join('; ');
};

export const requestMetrics = (state: QueueStatus, expiry: Counts): RecoveryRequestMetrics => ({
  processed: state.delivered,
  failed: state.failed,
  dropped: state.refused,
  expired: allExpired(state, expiry),
  waiting: state.pending,
  oldestAgeSeconds: state.oldestAgeMs / 1000,
});

/** The health line of requests for a recovery. */
export const requestsLine = (state: QueueStatus, expiry: Counts): string => {
  const { error, refused } = state;
  const dropped = refused === 0 ? '' : `, ${refused} dropped since the start`;
  const expired = expiredSinceStart(allExpired(state, expiry));
  return `${error ?? 'requests are processed'}${backlog(state)}${dropped}${expired}`;
};

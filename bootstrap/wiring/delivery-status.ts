import type { EventExpiry } from '../../adapters/delivery/event-expiry.ts';
import type { DeliveryStatus } from '../../adapters/delivery/event-relay.ts';
import type { MailQueueMetrics, WebhookMetrics } from '../../adapters/observability/delivery-metrics.ts';

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

/** Mails expire with their links, and when they are older than events.maxAge. */
const expiredMails = ({ destination, expired }: DeliveryStatus, expiry: Counts): number =>
  expired + (expiry.expired.get(destination) ?? 0);

export const mailMetrics = (state: DeliveryStatus, expiry: Counts): MailQueueMetrics => ({
  ...state,
  expired: expiredMails(state, expiry),
});

/** The health line of queued mails. */
export const mailsLine = (state: DeliveryStatus, expiry: Counts): string => {
  const { error, refused, pending } = state;
  const refusedText = refused === 0 ? '' : `, ${refused} refused since the start`;
  const expiredText = expiredSinceStart(expiredMails(state, expiry));
  const line = `${error ?? 'queued mails are sent'}${waiting(pending)}${refusedText}${expiredText}`;
  return [line, ...cannotExpire(expiry)].join('; ');
};

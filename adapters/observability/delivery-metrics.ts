import { commonGauge, family, type MetricFamily, metricFamily, type Sample } from './metric-families.ts';

/** The counters of one webhook. `host` is empty for a webhook that is no longer configured. */
interface WebhookMetrics {
  readonly host: string;
  readonly destination: string;
  readonly delivered?: number;
  readonly failed?: number;
  readonly pending?: number | undefined;
  readonly expired: number;
}

/** What is known about a queue in the database, of mails or requests. */
interface QueueMetrics {
  readonly delivered: number;
  readonly failed: number;
  readonly refused: number;
  readonly expired: number;
  readonly pending: number | undefined;
  /** In milliseconds; 0 if none waits. */
  readonly oldestAgeMs: number;
}

type Text = readonly [name: string, help: string];

/** The metrics of a queue by its counts. Every process counts the same waiting ones, because they are in the database. */
const queueFamilies =
  (prefix: string, texts: Readonly<Record<keyof QueueMetrics, Text>>) =>
  ({ pending, oldestAgeMs, ...counts }: QueueMetrics): readonly MetricFamily[] => {
    const gauge = ([name, help]: Text, value: number): MetricFamily =>
      commonGauge(`${prefix}_${name}`, help, [{ value, labels: {} }]);
    const counter = (kind: keyof typeof counts): MetricFamily => {
      const [name, help] = texts[kind];
      return metricFamily('counter', `${prefix}_${name}_total`, help, counts[kind]);
    };
    return [
      ...(pending === undefined ? [] : [gauge(texts.pending, pending)]),
      gauge(texts.oldestAgeMs, oldestAgeMs / 1000),
      ...(['delivered', 'failed', 'refused', 'expired'] as const).map(counter),
    ];
  };

/** The metrics of queued mails. */
export const mailMetricFamilies = queueFamilies('latchkey_queued_mails', {
  pending: ['waiting', 'Queued mails that are not sent yet, counted up to 10,000'],
  oldestAgeMs: ['oldest_age_seconds', 'The age of the oldest queued mail that waits; 0 without one'],
  delivered: ['sent', 'Queued mails that the mail provider accepted'],
  failed: ['failed', 'Attempts to send a queued mail that failed and are repeated'],
  refused: ['refused', 'Queued mails deleted because the mail provider refused them for good'],
  expired: ['expired', 'Queued mails deleted because they were too old, or their link expired'],
});

/** The metrics of requests for a recovery. */
export const requestMetricFamilies = queueFamilies('latchkey_recovery_requests', {
  pending: ['waiting', 'Requests for a recovery that are not processed yet, counted up to 10,000'],
  oldestAgeMs: ['oldest_age_seconds', 'The age of the oldest request for a recovery that waits; 0 without one'],
  delivered: ['processed', 'Requests for a recovery that were processed, for known and unknown addresses'],
  failed: ['failed', 'Attempts to process a request for a recovery that failed and are repeated'],
  refused: ['dropped', 'Requests for a recovery dropped because the record of the user is damaged'],
  expired: ['expired', 'Requests for a recovery deleted because they were too old'],
});

/** The metrics of webhooks. Every process counts the same pending events, because they are in the database. */
export const eventMetricFamilies = (webhooks: readonly WebhookMetrics[]): readonly MetricFamily[] => {
  const samples = (read: (webhook: WebhookMetrics) => number | undefined): readonly Sample[] =>
    webhooks.flatMap((webhook) => {
      const { host, destination } = webhook;
      const value = read(webhook);
      return value === undefined ? [] : [{ value, labels: { host, destination } }];
    });
  const counter = (name: string, help: string, read: (webhook: WebhookMetrics) => number | undefined) =>
    family('counter', name, help, samples(read));
  const pending = samples((webhook) => webhook.pending);
  return [
    commonGauge('latchkey_events_pending', 'Events that wait for a webhook, counted up to 10,000', pending),
    counter('latchkey_events_delivered_total', 'Events that a webhook accepted', (webhook) => webhook.delivered),
    counter('latchkey_events_failed_total', 'Attempts to deliver an event that failed', (webhook) => webhook.failed),
    counter('latchkey_events_expired_total', 'Events deleted because they were too old', (webhook) => webhook.expired),
  ];
};

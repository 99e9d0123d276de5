import { commonGauge, family, type MetricFamily, metricFamily, type Sample } from './metric-families.ts';

/** The counters of one webhook. `host` is empty for a webhook that is no longer configured. */
export interface WebhookMetrics {
  readonly host: string;
  readonly destination: string;
  readonly delivered?: number;
  readonly failed?: number;
  readonly pending?: number | undefined;
  readonly expired: number;
}

/** What is known about a queue in the database, of mails or requests. */
export interface QueueMetrics {
  readonly delivered: number;
  readonly failed: number;
  readonly refused: number;
  readonly expired: number;
  readonly pending: number | undefined;
  /** In milliseconds; 0 if none waits. */
  readonly oldestAgeMs: number;
}

/** Counters, and gauges with the same value in every process. */
const familiesOf = (prefix: string) => ({
  counter: (name: string, help: string, value: number): MetricFamily =>
    metricFamily('counter', `${prefix}_${name}_total`, help, value),
  gauge: (name: string, help: string, value: number): MetricFamily =>
    commonGauge(`${prefix}_${name}`, help, [{ value, labels: {} }]),
});

/** The metrics of queued mails. Every process counts the same waiting mails, because they are in the database. */
export const mailMetricFamilies = (metrics: QueueMetrics): readonly MetricFamily[] => {
  const { delivered, failed, refused, expired, pending, oldestAgeMs } = metrics;
  const { counter, gauge } = familiesOf('latchkey_queued_mails');
  return [
    ...(pending === undefined
      ? []
      : [gauge('waiting', 'Queued mails that are not sent yet, counted up to 10,000', pending)]),
    gauge('oldest_age_seconds', 'The age of the oldest queued mail that waits; 0 without one', oldestAgeMs / 1000),
    counter('sent', 'Queued mails that the mail provider accepted', delivered),
    counter('failed', 'Attempts to send a queued mail that failed and are repeated', failed),
    counter('refused', 'Queued mails deleted because the mail provider refused them for good', refused),
    counter('expired', 'Queued mails deleted because they were too old, or their link expired', expired),
  ];
};

/** The metrics of requests for a recovery. Every process counts the same waiting ones. */
export const requestMetricFamilies = (metrics: QueueMetrics): readonly MetricFamily[] => {
  const { delivered, failed, refused, expired, pending, oldestAgeMs } = metrics;
  const { counter, gauge } = familiesOf('latchkey_recovery_requests');
  return [
    ...(pending === undefined
      ? []
      : [gauge('waiting', 'Requests for a recovery that are not processed yet, counted up to 10,000', pending)]),
    gauge(
      'oldest_age_seconds',
      'The age of the oldest request for a recovery that waits; 0 without one',
      oldestAgeMs / 1000,
    ),
    counter('processed', 'Requests for a recovery that were processed, for known and unknown addresses', delivered),
    counter('failed', 'Attempts to process a request for a recovery that failed and are repeated', failed),
    counter('dropped', 'Requests for a recovery dropped because the record of the user is damaged', refused),
    counter('expired', 'Requests for a recovery deleted because they were too old', expired),
  ];
};

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

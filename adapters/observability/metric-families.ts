import {
  bucketBounds,
  type Counter,
  type Durations,
  type Histogram,
  type PortMetrics,
  type ServiceMetrics,
} from './metrics.ts';

type Labels = Readonly<Record<string, string | number>>;

/** One sample of a metric. `metricName` differs from the name of the family for the series of a histogram. */
interface Sample {
  readonly value: number;
  readonly labels: Labels;
  readonly metricName?: string;
}

/** A metric with its current samples, as @prometheus-io/client represents it (`getMetricsAsJSON`). */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram' | 'counter' | 'gauge';
  /** How the samples of several processes are combined. */
  readonly aggregator: 'sum' | 'max';
  readonly values: readonly Sample[];
}

const histogramSamples = ({ counts, sumSeconds }: Durations, name: string, labels: Labels): readonly Sample[] => {
  let total = 0;
  const buckets = counts.map((count, index) => {
    total += count;
    return { value: total, labels: { le: bucketBounds[index] ?? '+Inf', ...labels }, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { value: sumSeconds, labels, metricName: `${name}_sum` },
    { value: total, labels, metricName: `${name}_count` },
  ];
};

const named = (names: readonly string[], labels: readonly string[]): Labels =>
  Object.fromEntries(names.map((name, index) => [name, labels[index] ?? '']));

const counterFamily = (name: string, help: string, labelNames: readonly string[], { all }: Counter): MetricFamily => {
  const values = all.map(({ labels, value }) => ({ value: value.total, labels: named(labelNames, labels) }));
  return { name, help, type: 'counter', aggregator: 'sum', values };
};

const histogramFamily = (
  name: string,
  help: string,
  labelNames: readonly string[],
  { all }: Histogram,
): MetricFamily => {
  const values = all.flatMap(({ labels, value }) => histogramSamples(value, name, named(labelNames, labels)));
  return { name, help, type: 'histogram', aggregator: 'sum', values };
};

const portFamilies = (port: string, target: string, { durations, failures }: PortMetrics): readonly MetricFamily[] => [
  histogramFamily(
    `latchkey_${port}_call_duration_seconds`,
    `Duration of calls of the ${target}, in seconds`,
    ['operation'],
    durations,
  ),
  counterFamily(
    `latchkey_${port}_failures_total`,
    `Calls of the ${target} that failed, by kind of failure`,
    ['operation', 'kind'],
    failures,
  ),
];

/** The current values of the metrics of a service. */
export const serviceMetricFamilies = (metrics: ServiceMetrics): readonly MetricFamily[] => [
  histogramFamily(
    'latchkey_http_request_duration_seconds',
    'Duration of requests until their response was ready, in seconds; route other is every unknown path',
    ['method', 'route', 'status'],
    metrics.requests,
  ),
  counterFamily(
    'latchkey_bus_messages_total',
    'Commands and queries by their outcome: ok, or the code of the failure',
    ['type', 'outcome'],
    metrics.messages,
  ),
  ...portFamilies('store', 'database', metrics.store),
  ...portFamilies('mailer', 'mail provider', metrics.mailer),
  metricFamily('counter', 'latchkey_mails_sent_total', 'Mails that the mail provider accepted', metrics.mailsSent),
  ...portFamilies('password', 'password hash', metrics.passwords),
];

/** A metric without labels. */
export const metricFamily = (type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily => ({
  name,
  help,
  type,
  aggregator: 'sum',
  values: [{ value, labels: {} }],
});

/** The metrics of the queue of slow password hashes. */
export const hashQueueMetricFamilies = (queue: {
  readonly length: number;
  readonly rejected: number;
}): readonly MetricFamily[] => [
  metricFamily(
    'gauge',
    'latchkey_password_queue_length',
    'Slow password hashes that wait for their turn',
    queue.length,
  ),
  metricFamily(
    'counter',
    'latchkey_password_refused_total',
    'Slow password hashes refused because too many waited',
    queue.rejected,
  ),
];

/** What is known about the events of one webhook. `host` is empty for a webhook that is no longer configured. */
export interface WebhookMetrics {
  readonly host: string;
  readonly destination: string;
  readonly delivered?: number;
  readonly failed?: number;
  readonly pending?: number | undefined;
  readonly expired: number;
}

/** The metrics of webhooks. Every process counts the same pending events, because they are in the database. */
export const eventMetricFamilies = (webhooks: readonly WebhookMetrics[]): readonly MetricFamily[] => {
  const samples = (read: (webhook: WebhookMetrics) => number | undefined): readonly Sample[] =>
    webhooks.flatMap((webhook) => {
      const { host, destination } = webhook;
      const value = read(webhook);
      return value === undefined ? [] : [{ value, labels: { host, destination } }];
    });
  return [
    {
      name: 'latchkey_events_delivered_total',
      help: 'Events that a webhook accepted',
      type: 'counter',
      aggregator: 'sum',
      values: samples(({ delivered }) => delivered),
    },
    {
      name: 'latchkey_events_failed_total',
      help: 'Attempts to deliver an event that failed',
      type: 'counter',
      aggregator: 'sum',
      values: samples(({ failed }) => failed),
    },
    {
      name: 'latchkey_events_pending',
      help: 'Events that wait for a webhook, counted up to 10,000',
      type: 'gauge',
      aggregator: 'max',
      values: samples(({ pending }) => pending),
    },
    {
      name: 'latchkey_events_expired_total',
      help: 'Events that were removed undelivered because they were too old',
      type: 'counter',
      aggregator: 'sum',
      values: samples(({ expired }) => expired),
    },
  ];
};

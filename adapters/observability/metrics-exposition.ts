import {
  bucketBounds,
  type Counter,
  type Durations,
  type Histogram,
  type PortMetrics,
  type ServiceMetrics,
} from './metrics.ts';

type Labels = Readonly<Record<string, string | number>>;
type LabelNames = readonly string[];

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

/** All metrics of one process, as JSON that one process can send to another. */
export type ProcessMetrics = readonly object[];

const family = (type: MetricFamily['type'], name: string, help: string, values: readonly Sample[]): MetricFamily => ({
  name,
  help,
  type,
  aggregator: 'sum',
  values,
});

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

const named = (names: LabelNames, labels: readonly string[]): Labels =>
  Object.fromEntries(names.map((name, index) => [name, labels[index] ?? '']));

const counterFamily = (name: string, help: string, labelNames: LabelNames, { all }: Counter): MetricFamily => {
  const samples = all.map(({ labels, value }) => ({ value: value.total, labels: named(labelNames, labels) }));
  return family('counter', name, help, samples);
};

const histogramFamily = (name: string, help: string, labelNames: LabelNames, { all }: Histogram): MetricFamily => {
  const samples = all.flatMap(({ labels, value }) => histogramSamples(value, name, named(labelNames, labels)));
  return family('histogram', name, help, samples);
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
export const metricFamily = (type: 'counter' | 'gauge', name: string, help: string, value: number): MetricFamily =>
  family(type, name, help, [{ value, labels: {} }]);

interface HashQueue {
  readonly length: number;
  readonly rejected: number;
}

/** The metrics of the queue of slow password hashes. */
export const hashQueueMetricFamilies = ({ length, rejected }: HashQueue): readonly MetricFamily[] => [
  metricFamily('gauge', 'latchkey_password_queue_length', 'Slow password hashes that wait for their turn', length),
  metricFamily(
    'counter',
    'latchkey_password_refused_total',
    'Slow password hashes rejected because too many waited',
    rejected,
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
  const counter = (name: string, help: string, read: (webhook: WebhookMetrics) => number | undefined) =>
    family('counter', name, help, samples(read));
  const pendingHelp = 'Events that wait for a webhook, counted up to 10,000';
  const pending = family(
    'gauge',
    'latchkey_events_pending',
    pendingHelp,
    samples((webhook) => webhook.pending),
  );
  return [
    { ...pending, aggregator: 'max' },
    counter('latchkey_events_delivered_total', 'Events that a webhook accepted', (webhook) => webhook.delivered),
    counter('latchkey_events_failed_total', 'Attempts to deliver an event that failed', (webhook) => webhook.failed),
    counter('latchkey_events_expired_total', 'Events deleted because they were too old', (webhook) => webhook.expired),
  ];
};

/** Loaded at the first scrape. From then on the library also measures the process and its event loop. */
const loadLibrary = async () => {
  const { default: library } = await import('@prometheus-io/client');
  library.collectDefaultMetrics();
  return library;
};

let library: ReturnType<typeof loadLibrary> | undefined;

const prometheus = (): ReturnType<typeof loadLibrary> => {
  library ??= loadLibrary();
  return library;
};

const aggregate = async (processes: readonly ProcessMetrics[]) =>
  (await prometheus()).AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]));

/** The given metrics of this process, with the default metrics of Node.js. */
export const processMetrics = async (families: readonly MetricFamily[]): Promise<ProcessMetrics> => {
  const { register } = await prometheus();
  return [...families, ...(await register.getMetricsAsJSON())];
};

const cumulativeTypes: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** The counters and histograms of exited processes, added up. They are kept so that the totals never decrease. */
export const cumulativeMetrics = async (exited: readonly ProcessMetrics[]): Promise<ProcessMetrics> => {
  const metrics: readonly object[] = await (await aggregate(exited)).getMetricsAsJSON();
  return metrics.filter((metric) => 'type' in metric && cumulativeTypes.has(metric.type));
};

/** The media type of the Prometheus text format. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics of one or more processes in the Prometheus text format. */
export const exposition = async (processes: readonly ProcessMetrics[]): Promise<string> =>
  (await aggregate(processes)).metrics();

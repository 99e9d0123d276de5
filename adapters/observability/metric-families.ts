import type { FaultCode } from '../../application/fault.ts';
import {
  type ByLabel,
  bucketBounds,
  type Counter,
  type Durations,
  type NotPermittedCounts,
  type PortMetrics,
  type ServiceMetrics,
} from './metrics.ts';

type Labels = Readonly<Record<string, string | number>>;

/** One sample of a metric. `metricName` differs from the name of the family for the series of a histogram. */
export interface Sample {
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

export const family = (
  type: MetricFamily['type'],
  name: string,
  help: string,
  values: readonly Sample[],
): MetricFamily => ({
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

/** The public port and the admin port. */
type Port = 'service' | 'admin';

interface Labelled<Value> {
  readonly labels: Labels;
  readonly value: Value;
}

const withoutLabel = <Value>(value: Value): readonly Labelled<Value>[] => [{ labels: {}, value }];

/** Adds the label `name` to the labels that `inner` returns for each value. */
const labelled = <Outer, Value>(
  name: string,
  { values }: ByLabel<Outer>,
  inner: (outer: Outer) => readonly Labelled<Value>[],
): readonly Labelled<Value>[] =>
  [...values].flatMap(([label, outer]) =>
    inner(outer).map(({ labels, value }) => ({ labels: { [name]: label, ...labels }, value })),
  );

const counterFamily = (name: string, help: string, counters: readonly Labelled<Counter>[]): MetricFamily =>
  family(
    'counter',
    name,
    help,
    counters.map(({ labels, value }) => ({ labels, value: value.total })),
  );

const histogramFamily = (name: string, help: string, histograms: readonly Labelled<Durations>[]): MetricFamily =>
  family(
    'histogram',
    name,
    help,
    histograms.flatMap(({ labels, value }) => histogramSamples(value, name, labels)),
  );

/**
 * Creates the series of all `operations` and `faults` with 0: if the first sample of a series is 1, Prometheus sees no
 * increase.
 */
const portFamilies = (
  name: string,
  target: string,
  operations: readonly string[],
  faults: readonly FaultCode[],
  { durations, failures }: PortMetrics,
): readonly MetricFamily[] => {
  for (const operation of operations) {
    durations.get(operation);
    for (const fault of faults) failures.get(operation).get(fault);
  }
  return [
    histogramFamily(
      `latchkey_${name}_call_duration_seconds`,
      `Duration of calls of the ${target}, in seconds`,
      labelled('operation', durations, withoutLabel),
    ),
    counterFamily(
      `latchkey_${name}_failures_total`,
      `Calls of the ${target} that failed, by kind of failure`,
      labelled('operation', failures, (kinds) => labelled('kind', kinds, withoutLabel)),
    ),
  ];
};

/** The requests of a port that were not permitted. */
export const notPermittedFamily = (port: Port, { counters }: NotPermittedCounts): MetricFamily =>
  counterFamily(
    'latchkey_not_permitted_total',
    'Requests that were not permitted: by the permission, or properties; tokens have no application',
    labelled('application', counters, (permissions) => labelled('permission', permissions, withoutLabel)).map(
      ({ labels, value }) => ({ labels: { port, ...labels }, value }),
    ),
  );

const storeOperations = ['find', 'insert', 'replace', 'remove', 'check'];
const storeFaults = ['store_unavailable', 'store_rejected'] as const;

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const mailsSent = ({ durations, failures }: PortMetrics): number =>
  sum(durations.get('send').counts) - sum([...failures.get('send').values.values()].map(({ total }) => total));

/** The current values of the metrics of a service. */
export const serviceMetricFamilies = (metrics: ServiceMetrics): readonly MetricFamily[] => [
  histogramFamily(
    'latchkey_http_request_duration_seconds',
    'Duration of requests until their response was ready, in seconds; route other is every unknown path',
    labelled('method', metrics.requests, (routes) =>
      labelled('route', routes, (statuses) => labelled('status', statuses, withoutLabel)),
    ),
  ),
  counterFamily(
    'latchkey_bus_messages_total',
    'Commands and queries by their outcome: ok, or the code of the failure',
    labelled('type', metrics.messages, (outcomes) => labelled('outcome', outcomes, withoutLabel)),
  ),
  counterFamily(
    'latchkey_key_requests_total',
    'Requests by their Basic key: the application, and the position of the key in auth.keys, from 1',
    labelled('application', metrics.keyRequests, (keys) => labelled('key', keys, withoutLabel)),
  ),
  notPermittedFamily('service', metrics.notPermitted),
  ...portFamilies('store', 'database', storeOperations, storeFaults, metrics.store),
  ...portFamilies('mailer', 'mail provider', ['send', 'check'], ['mail_failed'], metrics.mailer),
  metricFamily(
    'counter',
    'latchkey_mails_sent_total',
    'Mails that the mail provider accepted',
    mailsSent(metrics.mailer),
  ),
  ...portFamilies('password', 'password hash', ['hash', 'verify'], ['overloaded'], metrics.passwords),
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

/** When the certificate of a port ends, in seconds since the epoch. */
interface CertificateEnd {
  readonly port: Port;
  readonly seconds: number;
}

/** A gauge with the same value in every process, of which the largest is taken. */
export const commonGauge = (name: string, help: string, values: readonly Sample[]): MetricFamily => ({
  ...family('gauge', name, help, values),
  aggregator: 'max',
});

/** The metrics of the whole service, which the process with the admin port adds to those of all processes. */
export const adminMetricFamilies = (ready: boolean, ends: readonly CertificateEnd[]): readonly MetricFamily[] => [
  commonGauge('latchkey_ready', 'Whether the service is ready: 1 while /readyz answers 200, else 0', [
    { value: ready ? 1 : 0, labels: {} },
  ]),
  commonGauge(
    'latchkey_certificate_expiry_timestamp_seconds',
    'When the certificate of a port ends, in seconds since the epoch; no series without TLS',
    ends.map(({ port, seconds }) => ({ value: seconds, labels: { port } })),
  ),
];

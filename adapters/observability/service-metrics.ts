import type { FaultCode } from '../../application/fault.ts';
import {
  commonGauge,
  counterFamily,
  histogramFamily,
  labelled,
  type MetricFamily,
  metricFamily,
  withoutLabel,
} from './metric-families.ts';
import type { NotPermittedCounts, PortMetrics, ServiceMetrics } from './metrics.ts';

/** The public port and the admin port. */
type Port = 'service' | 'admin';

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

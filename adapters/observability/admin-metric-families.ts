/** When the certificate of a port ends, in seconds since the epoch. */
export interface CertificateEnd {
  readonly port: 'service' | 'admin';
  readonly seconds: number;
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
}

const gauge = (name: string, help: string, values: readonly Sample[]) =>
  ({ name, help, type: 'gauge', aggregator: 'max', values }) as const;

/** The metrics of the whole service, which the process with the admin port adds to those of all processes. */
export const adminMetricFamilies = (ready: boolean, ends: readonly CertificateEnd[]) => [
  gauge('latchkey_ready', 'Whether the service is ready: 1 while /readyz answers 200, else 0', [
    { value: ready ? 1 : 0, labels: {} },
  ]),
  gauge(
    'latchkey_certificate_expiry_timestamp_seconds',
    'When the certificate of a port ends, in seconds since the epoch; no series without TLS',
    ends.map(({ port, seconds }) => ({ value: seconds, labels: { port } })),
  ),
];

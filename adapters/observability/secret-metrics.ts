import * as t from 'io-ts';
import type { SecretUse } from '../../application/ports/expiring-secret.ts';
import { commonGauge, family, type MetricFamily } from './metric-families.ts';

/** When a secret of the configuration expires, in milliseconds since the epoch. */
interface SecretExpiry {
  readonly option: string;
  readonly expires: number;
}

/** When secrets expire; nothing without one that does. */
export const secretExpiryFamilies = (secrets: readonly SecretExpiry[]): readonly MetricFamily[] =>
  secrets.length === 0
    ? []
    : [
        commonGauge(
          'latchkey_secret_expiry_timestamp_seconds',
          'When a secret expires, by its place in the configuration, in seconds since the epoch',
          secrets.map(({ option, expires }) => ({ value: expires / 1_000, labels: { option } })),
        ),
      ];

const requestsName = 'latchkey_secret_requests_total';
const lastUseName = 'latchkey_secret_last_use_timestamp_seconds';

/** Which of the two secrets of a key clients use; nothing where no key has two. */
export const secretUseFamilies = (uses: readonly Omit<SecretUse, 'clock'>[]): readonly MetricFamily[] =>
  uses.length === 0
    ? []
    : [
        family(
          'counter',
          requestsName,
          'Requests by their secret, by its place in the configuration, where a key has two secrets',
          uses.map(({ option, count }) => ({ value: count.requests, labels: { option } })),
        ),
        commonGauge(
          lastUseName,
          'When a secret was last used, in seconds since the epoch; no series before its first use',
          uses
            .filter(({ count }) => count.requests > 0)
            .map(({ option, count }) => ({ value: count.lastMs / 1_000, labels: { option } })),
        ),
      ];

const useMetric = t.type({
  name: t.union([t.literal(requestsName), t.literal(lastUseName)]),
  values: t.readonlyArray(t.type({ value: t.number, labels: t.type({ option: t.string }) })),
});

/** A line for operators about the last use of each secret in all processes, where keys have two. */
export const secretUseLine = (processes: readonly (readonly object[])[]): string => {
  const found = processes.flat().filter(useMetric.is);
  const largest = (metric: string, option: string): number =>
    Math.max(
      0,
      ...found
        .filter(({ name }) => name === metric)
        .flatMap(({ values }) => values.filter(({ labels }) => labels.option === option).map(({ value }) => value)),
    );
  const timeOf = (seconds: number) => new Date(seconds * 1_000).toISOString().slice(0, 19);
  const useOf = (option: string): string => {
    const seconds = largest(lastUseName, option);
    if (seconds > 0) return `last used ${timeOf(seconds)}Z`;
    // The times of a worker end with it.
    return largest(requestsName, option) > 0 ? 'used since the start' : 'not used since the start';
  };
  const options = new Set(found.flatMap(({ values }) => values.map(({ labels }) => labels.option)));
  return [...options].map((option) => `${option} ${useOf(option)}`).join('; ');
};

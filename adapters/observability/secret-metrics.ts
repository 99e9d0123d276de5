import type { SecretUse } from '../../application/expiring-secret.ts';
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

/** Which of the two secrets of a key clients use; nothing where no key has two. */
export const secretUseFamilies = (uses: readonly SecretUse[]): readonly MetricFamily[] =>
  uses.length === 0
    ? []
    : [
        family(
          'counter',
          'latchkey_secret_requests_total',
          'Requests by their secret, by its place in the configuration, where a key has two secrets',
          uses.map(({ option, requests }) => ({ value: requests, labels: { option } })),
        ),
        commonGauge(
          'latchkey_secret_last_use_timestamp_seconds',
          'When a secret was last used, in seconds since the epoch; no series before its first use',
          uses
            .filter(({ requests }) => requests > 0)
            .map(({ option, lastMs }) => ({ value: lastMs / 1_000, labels: { option } })),
        ),
      ];

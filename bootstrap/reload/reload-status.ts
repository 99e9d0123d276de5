import { commonGauge, family, type MetricFamily } from '../../adapters/observability/metric-families.ts';
import type { Component } from '../../application/health.ts';

/** How the reloads of a service went, for its health and metrics. */
export class ReloadStatus {
  private readonly counts = { success: 0, failure: 0 };
  private last: { readonly atMs: number; readonly outcome: 'success' | 'failure' } = {
    atMs: Date.now(),
    outcome: 'success',
  };

  record(outcome: 'success' | 'failure'): void {
    this.counts[outcome]++;
    this.last = { atMs: Date.now(), outcome };
  }

  /**
   * A health line; none before the first reload. A reload that failed does not make the service unhealthy, because it
   * serves with the former configuration.
   */
  components(): readonly Component[] {
    const { success, failure } = this.counts;
    if (success + failure === 0) return [];
    const time = new Date(this.last.atMs).toISOString();
    const line =
      this.last.outcome === 'success'
        ? `reloaded at ${time}`
        : `cannot be reloaded since ${time}, the former one is used; the log says why`;
    return [{ name: 'configuration', check: async () => line }];
  }

  metrics(): readonly MetricFamily[] {
    const { atMs, outcome } = this.last;
    return [
      family(
        'counter',
        'latchkey_configuration_reloads_total',
        'Reloads of the configuration, by outcome',
        Object.entries(this.counts).map(([label, value]) => ({ value, labels: { outcome: label } })),
      ),
      commonGauge(
        'latchkey_configuration_last_reload_successful',
        'Whether the last reload of the configuration succeeded: 1, else 0; 1 before the first one',
        [{ value: outcome === 'success' ? 1 : 0, labels: {} }],
      ),
      commonGauge(
        'latchkey_configuration_last_reload_timestamp_seconds',
        'When the last reload of the configuration ended, in seconds since the epoch; the start before the first one',
        [{ value: atMs / 1000, labels: {} }],
      ),
    ];
  }
}

import type { RequestListener } from 'node:http';
import { type Component, type Health, HealthMonitor, isHealthy } from '../../../application/health.ts';

/** Whether the service can serve requests: its component is healthy, and it is not stopping. */
export class Readiness {
  private readonly monitor: HealthMonitor;

  constructor(
    component: Component,
    private readonly isStopping: () => boolean,
  ) {
    this.monitor = new HealthMonitor(() => [component]);
  }

  /** The outcome of the last check, which is not older than four seconds, or of a new one. */
  async health(): Promise<Health> {
    const report = await this.monitor.report();
    return { healthy: isHealthy(report), message: [...report.values()].map(({ message }) => message).join('; ') };
  }

  async isReady(): Promise<boolean> {
    return !this.isStopping() && (await this.health()).healthy;
  }
}

/**
 * Answers `GET /readyz` and `HEAD /readyz`, and passes other requests on. The probes of a balancer are not logged and
 * not measured, because failed ones would count as failed requests of clients.
 */
export const withReadiness =
  (handle: RequestListener, readiness: Readiness): RequestListener =>
  (request, response) => {
    const { method, url } = request;
    if (url !== '/readyz' || (method !== 'GET' && method !== 'HEAD')) return handle(request, response);
    void readiness.isReady().then((ready) => {
      response.writeHead(ready ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      response.end(`{\n  "ready": ${ready}\n}\n`);
    });
  };

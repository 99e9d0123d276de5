import { createAdmin } from '../../adapters/http/admin/admin-port.ts';
import { listen } from '../../adapters/http/server/listener.ts';
import { exposition, expositionType, type ProcessMetrics } from '../../adapters/observability/exposition.ts';
import type { Component } from '../../application/health.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { type AdministrationAdapters, administrationOf } from './administration-wiring.ts';
import { outboxOf } from './outbox-wiring.ts';

// Health is asked for while the service stops, and nobody waits for it.
const adminPatience = 500;

/** What the admin port tells about. */
export interface Overview {
  readonly components: readonly Component[];
  readonly isStopping: () => boolean;
  /** What each process measured. */
  readonly readings: () => Promise<readonly ProcessMetrics[]>;
  /** What administrators work with, asked for when the first one comes. */
  readonly administration: () => Promise<AdministrationAdapters>;
}

/** Listens on the admin port. Rejects with the system's error when it can't be had. */
export const openAdmin = async (
  configuration: Configuration,
  { components, isStopping, readings, administration }: Overview,
  log: Log,
): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const metrics = async () => ({ type: expositionType, text: await exposition(await readings()) });
  const { server } = configuration;
  const admin = createAdmin({
    // A name that is listened on is a name of the port.
    hosts: [server.adminHost, ...server.adminHosts],
    components,
    isStopping,
    metrics,
    openOutbox: outboxOf(configuration, log),
    openAdministration: administrationOf(configuration, administration, log),
    log,
  });
  const place = { host: server.adminHost, port: server.adminPort, tls: server.adminTls };
  const { url, stop } = await listen(admin.callback(), place);
  return { url, stop: () => stop(adminPatience) };
};

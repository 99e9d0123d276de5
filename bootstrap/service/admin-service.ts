import { createAdmin } from '../../adapters/http/admin/admin-port.ts';
import type { AdministrationMemory } from '../../adapters/http/admin/administration/index.ts';
import { protocolReply } from '../../adapters/http/api/refusal.ts';
import { basicAuthenticator } from '../../adapters/http/authentication/authenticator.ts';
import { adminPermissions } from '../../adapters/http/authentication/permissions.ts';
import type { AdminSection, AdminSite } from '../../adapters/http/pages/operator-pages.ts';
import { adminPaths, publicPaths } from '../../adapters/http/paths.ts';
import { listen } from '../../adapters/http/server/listener.ts';
import { Readiness } from '../../adapters/http/server/readiness.ts';
import { NotPermittedCounts } from '../../adapters/observability/metrics.ts';
import { exposition, expositionType, type ProcessMetrics } from '../../adapters/observability/metrics-exposition.ts';
import { secretExpiryFamilies, secretUseFamilies, secretUseLine } from '../../adapters/observability/secret-metrics.ts';
import { adminMetricFamilies, notPermittedFamily } from '../../adapters/observability/service-metrics.ts';
import type { Component, Health } from '../../application/health.ts';
import type { Clock } from '../../application/ports/clock.ts';
import { continueCounts, type SecretUse } from '../../application/ports/expiring-secret.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Configuration } from '../configuration/index.ts';
import { certificatesOf } from '../configuration/server-block.ts';
import { expiringSecrets, hasTwoSecrets } from '../configuration/warnings.ts';
import { queuesMails } from '../features/index.ts';
import type { ReloadStatus } from '../reload/reload-status.ts';
import {
  type AdministrationSources,
  administrationOpener,
  type KeptAdministration,
  keptMailsOpener,
} from './administration-openers.ts';

// Short, because requests for health and metrics need no answer once the service stops.
const stopTimeoutMs = 500;

/** What a service provides for its admin port. */
export interface AdminSources {
  readonly clock: Clock;
  /** Called for each check. */
  readonly components: () => readonly Component[];
  readonly readiness: Component;
  readonly isStopping: () => boolean;
  readonly reloads: ReloadStatus;
  /** The metrics of each process. */
  readonly metrics: () => Promise<readonly ProcessMetrics[]>;
  /** Called for the first request to the administration, and again after it has failed. */
  readonly openAdministration: () => Promise<AdministrationSources>;
}

/** What the admin port keeps when its configuration is replaced. */
interface Kept extends KeptAdministration {
  /** The counts of the present secrets. */
  secretUses: readonly SecretUse[];
}

const { administration, waitingMails, keptMails, health, metrics: metricsPath } = adminPaths;

/** The sections of the admin port, each with whether this configuration has it. */
const sectionsOf = (configuration: Configuration): readonly (readonly [boolean | undefined, AdminSection])[] => {
  const { admin, email, openApi, server } = configuration;
  const hasUsers = admin.keys.length > 0;
  const documentation = `${server.publicUrl ?? ''}${publicPaths.documentation}`;
  return [
    [hasUsers, { name: 'Users', path: administration, sentence: 'Find, help, disable and delete users.' }],
    [
      hasUsers && queuesMails(configuration),
      {
        name: 'Waiting mails',
        path: waitingMails,
        sentence: 'Mails that the mail provider has not accepted yet.',
        requires: 'mail',
      },
    ],
    [email?.keepsMails, { name: 'Outbox', path: keptMails, sentence: 'Mails that were kept instead of sent.' }],
    [true, { name: 'Health', path: health, sentence: 'Whether each part of the service works.' }],
    [true, { name: 'Metrics', path: metricsPath, sentence: 'What Prometheus collects.' }],
    [
      openApi.enabled && server.publicUrl !== null,
      { name: 'API', path: documentation, sentence: 'The documentation of the API, with calls to try.' },
    ],
  ];
};

const siteOf = (configuration: Configuration): AdminSite => {
  const product = configuration.email?.product ?? 'Latchkey';
  return {
    product,
    sections: sectionsOf(configuration).flatMap(([exists, section]) => (exists ? [section] : [])),
    errorPages: { brand: { name: product, logo: null }, product: null, home: '/' },
  };
};

/** The application of the admin port for one configuration. */
const adminFor = (
  configuration: Configuration,
  { clock, components, reloads, metrics, openAdministration, ...sources }: AdminSources,
  kept: Kept,
  log: Log,
) => {
  const { adminHost, adminHosts } = configuration.server;
  const readiness = new Readiness(sources.readiness, sources.isStopping);
  const ends = certificatesOf(configuration.server).map(({ port, endMs }) => ({ port, seconds: endMs / 1_000 }));
  const { keys } = configuration.admin;
  const authenticator = basicAuthenticator(keys, clock, 'latchkey admin');
  const { uses = [] } = authenticator;
  kept.notPermitted.start(keys, adminPermissions);
  continueCounts(uses, kept.secretUses);
  kept.secretUses = uses;
  const serviceMetrics = async (): Promise<ProcessMetrics> => [
    ...adminMetricFamilies(await readiness.isReady(), ends),
    ...secretExpiryFamilies(expiringSecrets(configuration)),
    ...secretUseFamilies(uses),
    ...(keys.length === 0 ? [] : [notPermittedFamily('admin', kept.notPermitted)]),
    ...reloads.metrics(),
  ];
  const allMetrics = async (): Promise<readonly ProcessMetrics[]> => [...(await metrics()), await serviceMetrics()];
  const secretUses = { name: 'keys', check: async () => secretUseLine(await allMetrics()) };
  const own = hasTwoSecrets(configuration) ? [secretUses] : [];
  const app = createAdmin({
    hosts: [adminHost, ...adminHosts],
    components: () => [...components(), ...own, ...reloads.components()],
    readiness,
    metrics: async () => ({ type: expositionType, text: await exposition(await allMetrics()) }),
    openKeptMails: keptMailsOpener(configuration, log),
    openAdministration: administrationOpener(configuration, authenticator, openAdministration, kept, clock, log),
    site: siteOf(configuration),
    clock,
    log,
  });
  return { app, readiness };
};

/** The admin port of a service. */
export interface AdminPort {
  readonly url: string;
  /** The health by which `/readyz` answers, so that a start checks the database once for both. */
  readiness(): Promise<Health>;
  /** Serves new requests with another configuration. Resolves when the former requests have ended. */
  replace(configuration: Configuration): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Listens on the admin port. `sourcesOf` is called for each configuration. Rejects with the error of the system if the
 * port is not available.
 */
export const openAdmin = async (
  configuration: Configuration,
  sourcesOf: (configuration: Configuration) => AdminSources,
  log: Log,
): Promise<AdminPort> => {
  const { adminHost, adminPort, adminTls } = configuration.server;
  let memory: AdministrationMemory | undefined;
  const kept: Kept = {
    memory: (create) => {
      memory ??= create();
      return memory;
    },
    notPermitted: new NotPermittedCounts(),
    secretUses: [],
  };
  let admin = adminFor(configuration, sourcesOf(configuration), kept, log);
  const options = { host: adminHost, port: adminPort, tls: adminTls };
  const listener = await listen(admin.app.callback(), options, protocolReply);
  return {
    url: listener.url,
    readiness: () => admin.readiness.health(),
    replace: (next) => {
      const { app: former } = admin;
      admin = adminFor(next, sourcesOf(next), kept, log);
      listener.replace(admin.app.callback(), next.server.adminTls);
      return former.idle();
    },
    stop: () => listener.stop(stopTimeoutMs),
  };
};

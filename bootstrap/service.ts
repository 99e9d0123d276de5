import { type Component, createAdmin, healthOf } from '../adapters/http/admin.ts';
import { type Listener, listen } from '../adapters/http/listener.ts';
import { customPagePolicy, pagePolicy } from '../adapters/http/pages/layout.ts';
import { successPage } from '../adapters/http/pages/success.ts';
import { ignoredPassword, password } from '../adapters/http/parameters.ts';
import { requestLog } from '../adapters/http/request-log.ts';
import type { Route } from '../adapters/http/route.ts';
import { userRoutes } from '../adapters/http/routes/users.ts';
import { verificationRoutes } from '../adapters/http/routes/verification.ts';
import { createService } from '../adapters/http/service.ts';
import { defaultHtml, defaultText } from '../adapters/mailers/default-bodies.ts';
import { exposition, expositionType, readingsOf } from '../adapters/metrics/exposition.ts';
import { ServiceMetrics } from '../adapters/metrics/service-metrics.ts';
import { ObservedMailer } from '../adapters/observed/observed-mailer.ts';
import { ObservedPasswordHash } from '../adapters/observed/observed-password-hash.ts';
import { ObservedUserStore } from '../adapters/observed/observed-user-store.ts';
import type { CommandBus, QueryBus } from '../application/buses.ts';
import type { Log } from '../application/ports/adapter.ts';
import { nested } from '../application/ports/around.ts';
import type { MailTemplate } from '../application/verification-mail.ts';
import { authenticatorOf } from './authenticator.ts';
import type { Configuration } from './configuration/index.ts';
import { type Adapters, wire } from './container.ts';
import { withinDeadline } from './deadline.ts';

/** A service that is listening. */
export interface RunningService {
  /** `http://host:port` of the service, with the port that was really taken. */
  readonly url: string;
  /** `http://host:port` of health and readiness. */
  readonly adminUrl: string;
  /** A line about where mails go, or why they can't be sent just now. */
  mail(): Promise<string>;
  /** Finishes what was accepted, within the operation timeout, then closes everything. */
  stop(): Promise<void>;
}

const templateOf = ({ email }: Configuration): MailTemplate => {
  const { subject, placeholder, text, html } = email?.message ?? { subject: '', placeholder: '-', text: '', html: '' };
  return { subject, placeholder, text: text ?? defaultText(placeholder), html: html ?? defaultHtml(placeholder) };
};

/** The routes that this configuration serves: those of the verification only where mails are sent. */
const routesOf = (configuration: Configuration, commands: CommandBus, queries: QueryBus): readonly Route[] => {
  const { email, server, passwordHash } = configuration;
  const header = passwordHash.headerCheck ? password : ignoredPassword;
  const users = userRoutes(commands, queries, header);
  if (email === null) return users;
  const custom = email.message.successPage;
  const page = custom === null ? { html: successPage, policy: pagePolicy } : { html: custom, policy: customPagePolicy };
  return [...users, ...verificationRoutes(commands, header, { publicUrl: server.publicUrl, successPage: page })];
};

const serviceOf = async (configuration: Configuration, adapters: Adapters, metrics: ServiceMetrics, log: Log) => {
  const { server, logging, openApi, auth } = configuration;
  const { commands, queries } = wire(adapters, {
    passwords: configuration.passwordHash,
    patience: configuration.operationTimeout,
    properties: configuration.properties,
    verificationOnUpdate: configuration.verificationOnUpdate,
    mail: templateOf(configuration),
    around: nested(metrics.bus, withinDeadline(configuration.operationTimeout)),
  });
  return createService({
    routes: routesOf(configuration, commands, queries),
    authenticator: await authenticatorOf(auth),
    documentation: openApi.enabled
      ? { information: openApi, security: auth?.type ?? 'none', publicUrl: server.publicUrl }
      : null,
    observers: [
      requestLog(log, logging.requests),
      (ctx, route, milliseconds) => metrics.request(ctx.method, route, ctx.status, milliseconds),
    ],
    log,
    trustProxy: server.trustProxy,
  });
};

/** The adapters as the service uses them: every call of one is measured. */
const measured = ({ store, hash, mailer, ...others }: Adapters, metrics: ServiceMetrics): Adapters => ({
  ...others,
  store: new ObservedUserStore(store, metrics.store),
  hash: new ObservedPasswordHash(hash, metrics.passwords),
  mailer: new ObservedMailer(mailer, metrics.mailer),
});

const componentsOf = (
  { store, mailer }: Adapters,
  withMail: boolean,
): { readonly critical: Component; readonly others: readonly Component[] } => ({
  critical: { name: 'database', check: () => store.check() },
  others: withMail ? [{ name: 'email', check: () => mailer.check() }] : [],
});

const close = async ({ store, mailer }: Adapters): Promise<void> => {
  await Promise.allSettled([store.close(), mailer.close()]);
};

// Health is asked for while the service stops, and nobody waits for it.
const adminPatience = 500;

/** Wires opened adapters and listens. Rejects when a port can't be had, with the adapters closed again. */
export const runService = async (configuration: Configuration, opened: Adapters, log: Log): Promise<RunningService> => {
  const { server, operationTimeout, email } = configuration;
  const metrics = new ServiceMetrics();
  const adapters = measured(opened, metrics);
  const listeners: Listener[] = [];
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    const [service, admin] = listeners;
    await service?.stop(operationTimeout);
    await admin?.stop(adminPatience);
    await close(adapters);
  };
  try {
    const app = await serviceOf(configuration, adapters, metrics, log);
    const admin = createAdmin({
      ...componentsOf(adapters, email !== null),
      isStopping: () => stopping !== undefined,
      metrics: async () => ({ type: expositionType, text: await exposition([await readingsOf(metrics.read())]) }),
    });
    const service = await listen(app.callback(), server.host, server.port);
    listeners.push(service);
    const administration = await listen(admin.callback(), server.adminHost, server.adminPort);
    listeners.push(administration);
    return {
      url: service.url,
      adminUrl: administration.url,
      mail: async () => (await healthOf({ name: 'email', check: () => adapters.mailer.check() })).message,
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};

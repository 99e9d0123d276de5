import type { Middleware } from 'koa';
import { type Component, healthOf } from '../adapters/http/admin.ts';
import type { Audit } from '../adapters/http/audit.ts';
import { listen } from '../adapters/http/listener.ts';
import { usersWithoutPassword, wholeUsers } from '../adapters/http/presenter.ts';
import { requestLog } from '../adapters/http/request-log.ts';
import { createService } from '../adapters/http/service.ts';
import { defaultHtml, defaultText } from '../adapters/mailers/default-bodies.ts';
import { type Readings, readingsOf } from '../adapters/metrics/exposition.ts';
import type { Tracing } from '../adapters/tracing/tracing.ts';
import type { Log } from '../application/ports/adapter.ts';
import { type Around, nested } from '../application/ports/around.ts';
import type { Throttle } from '../application/throttle.ts';
import type { MailTemplate } from '../application/verification-mail.ts';
import { within } from '../application/within.ts';
import { openAdmin } from './admin.ts';
import type { AdministrationAdapters } from './administration.ts';
import { openAudit } from './audit.ts';
import { type Authentication, authenticationOf } from './authenticator.ts';
import type { Configuration } from './configuration/index.ts';
import { type Adapters, wire } from './container.ts';
import { withinDeadline } from './deadline.ts';
import { type EventDelivery, openEvents } from './events.ts';
import { Observation } from './observation.ts';
import { type PasswordAids, passwordAidsOf } from './password-aids.ts';
import { routesOf } from './routes.ts';
import { checkBoth } from './throttle.ts';

/** A service that is listening. */
export interface RunningService {
  /** Where clients reach it: its address, with the port that was really taken. */
  readonly url: string;
  /** `http://host:port` of health, readiness and metrics. */
  readonly adminUrl: string;
  /** A line about where mails go, or why they can't be sent just now. */
  mail(): Promise<string>;
  /** Finishes what was accepted, within the operation timeout, then closes everything. */
  stop(): Promise<void>;
}

/** The part of a service that answers clients. */
export interface PublicService {
  readonly url: string;
  /** The parts whose health is that of the service; the first is the one that it can't do without. */
  readonly components: readonly Component[];
  /** What sends mails, also where mails are switched off and no part of the health. */
  readonly mailer: Component;
  /** What administrators of the same process work with. */
  readonly administration: AdministrationAdapters;
  /** What was measured so far. */
  readings(): Promise<Readings>;
  stop(): Promise<void>;
}

const templateOf = ({ email }: Configuration): MailTemplate => {
  const { subject, placeholder, text, html } = email?.message ?? { subject: '', placeholder: '-', text: '', html: '' };
  return { subject, placeholder, text: text ?? defaultText(placeholder), html: html ?? defaultHtml(placeholder) };
};

/** Bounds the wrong passwords that can be tried: loaded only where it is to. */
const throttleOf = async (
  { throttle, operationTimeout }: Configuration,
  { attempts }: Adapters,
): Promise<Throttle | undefined> => {
  if (throttle === null || attempts === null) return undefined;
  const { Throttle } = await import('../application/throttle.ts');
  return new Throttle(attempts, throttle.limits, operationTimeout);
};

/** Every message is watched, and bounded in time. */
const aroundMessages = ({ operationTimeout }: Configuration, { messages }: Observation): Around =>
  nested(messages, withinDeadline(operationTimeout));

/** What belongs to a service beside its adapters. */
interface Companions {
  readonly events: EventDelivery;
  readonly authentication: Authentication;
  readonly aids: PasswordAids;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
}

const serviceOf = async (
  configuration: Configuration,
  adapters: Adapters,
  { events: { announcements }, authentication: { authenticator }, aids, audit }: Companions,
  observation: Observation,
  log: Log,
) => {
  const { server, logging, openApi, auth, privacy } = configuration;
  const { metrics, tracing } = observation;
  const { commands, queries } = wire(adapters, {
    passwords: { ...configuration.passwordHash, hideUnknownUsers: configuration.privacy.hideUnknownUsers },
    aids,
    patience: configuration.operationTimeout,
    throttle: await throttleOf(configuration, adapters),
    properties: configuration.properties,
    verificationOnUpdate: configuration.verificationOnUpdate,
    links: {
      whenUnknown: privacy.hideUnknownUsers ? 'token_mismatch' : 'user_not_found',
      tokenLifetime: configuration.email?.tokenLifetime ?? null,
    },
    resendInterval: configuration.email?.resendInterval ?? null,
    mail: templateOf(configuration),
    announcements,
    around: aroundMessages(configuration, observation),
  });
  const presenter = privacy.hidePasswords ? usersWithoutPassword : wholeUsers;
  return createService({
    routes: await routesOf(configuration, presenter, { commands, queries }),
    authenticator,
    documentation: openApi.enabled
      ? { information: openApi, security: auth?.type ?? 'none', publicUrl: server.publicUrl, user: presenter.schema }
      : null,
    observers: [
      requestLog(log, logging.requests),
      (ctx, route, milliseconds) => metrics.request(ctx.method, route, ctx.status, milliseconds),
    ],
    tracer: tracing?.requests ?? null,
    log,
    trustProxy: server.trustProxy,
    cors: await corsOf(server),
    audit,
  });
};

/** What browsers are told that ask from other origins: loaded only where there are some. */
const corsOf = async ({ origins }: Configuration['server']): Promise<Middleware | null> =>
  origins.length === 0 ? null : (await import('../adapters/http/cors.ts')).corsFor(origins);

/** How long a stop waits for a collector of traces, in milliseconds, in the time that is left for it. */
const longestFarewell = 3_000;

/** How long a stop waits for webhooks that were called and have not answered, in milliseconds. */
const longestDelivery = 2_000;

/** How long the adapters may take to close when no time is left, in milliseconds. */
const longestClosing = 1_000;

const close = async ({ store, mailer, attempts }: Adapters): Promise<void> => {
  await Promise.allSettled([store.close(), mailer.close(), attempts?.close()]);
};

/**
 * Wires opened adapters and listens for clients; requests are traced where there is `tracing`. Rejects when the port
 * can't be had, with the adapters closed again.
 */
export const openService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
  tracing?: Tracing,
): Promise<PublicService> => {
  const { server, operationTimeout, email } = configuration;
  const observation = new Observation(tracing);
  const adapters = observation.of(opened);
  try {
    const audit = await openAudit(configuration, log);
    const events = await openEvents(configuration, adapters, log);
    const authentication = await authenticationOf(configuration.auth, log);
    const aids = await passwordAidsOf(configuration, adapters, events.announcements, log);
    const app = await serviceOf(configuration, adapters, { events, authentication, aids, audit }, observation, log);
    const listener = await listen(app.callback(), server);
    events.start();
    const database = { name: 'database', check: () => checkBoth(adapters.store, adapters.attempts) };
    const mailer = { name: 'email', check: () => adapters.mailer.check() };
    return {
      url: listener.url,
      components: [database, ...(email === null ? [] : [mailer]), ...events.components, ...authentication.components],
      mailer,
      administration: {
        store: adapters.store,
        clock: adapters.clock,
        announcements: events.announcements,
        audit,
        around: aroundMessages(configuration, observation),
      },
      readings: async () =>
        readingsOf([...observation.metrics.read(), ...aids.readings(), ...(await events.readings())]),
      stop: async () => {
        const started = performance.now();
        await listener.stop(operationTimeout);
        await Promise.allSettled([
          within(longestDelivery + longestClosing, events.stop(longestDelivery), () => new Error('took too long')),
        ]);
        const left = operationTimeout - (performance.now() - started);
        const closed = within(
          Math.max(left, longestClosing),
          aids.stop().then(() => close(adapters)),
          () => new Error('closing took too long'),
        );
        await Promise.allSettled([closed, audit?.close(), tracing?.stop(Math.min(left, longestFarewell))]);
      },
    };
  } catch (error) {
    await close(adapters);
    throw error;
  }
};

/** Serves in this process alone. Rejects when a port can't be had, with everything closed again. */
export const runService = async (
  configuration: Configuration,
  opened: Adapters,
  log: Log,
  tracing?: Tracing,
): Promise<RunningService> => {
  const service = await openService(configuration, opened, log, tracing);
  let stopping: Promise<void> | undefined;
  try {
    const overview = {
      components: service.components,
      isStopping: () => stopping !== undefined,
      readings: async () => [await service.readings()],
      administration: async () => service.administration,
    };
    const admin = await openAdmin(configuration, overview, log);
    return {
      url: service.url,
      adminUrl: admin.url,
      mail: async () => (await healthOf(service.mailer)).message,
      stop: () => {
        stopping ??= service.stop().then(() => admin.stop());
        return stopping;
      },
    };
  } catch (error) {
    await service.stop();
    throw error;
  }
};

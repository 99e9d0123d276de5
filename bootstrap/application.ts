import type { Middleware } from 'koa';
import type { Application } from '../adapters/http/application.ts';
import type { Audit } from '../adapters/http/audit.ts';
import { usersWithoutPassword, wholeUsers } from '../adapters/http/presenter.ts';
import { requestLog } from '../adapters/http/request-log.ts';
import { createService } from '../adapters/http/service.ts';
import type { TrustedProxies } from '../adapters/http/trusted-proxies.ts';
import { defaultHtml, defaultText } from '../adapters/mailers/default-bodies.ts';
import type { Log } from '../application/ports/adapter.ts';
import { type Around, nested } from '../application/ports/around.ts';
import type { Throttle } from '../application/throttle.ts';
import type { MailTemplate } from '../application/verification-mail.ts';
import type { Authentication } from './authenticator.ts';
import type { Configuration } from './configuration/index.ts';
import { type Adapters, wire } from './container.ts';
import { withinDeadline } from './deadline.ts';
import type { EventDelivery } from './events.ts';
import type { Observation } from './observation.ts';
import type { PasswordAids } from './password-aids.ts';
import { routesOf } from './routes.ts';

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
export const aroundMessages = ({ operationTimeout }: Configuration, { messages }: Observation): Around =>
  nested(messages, withinDeadline(operationTimeout));

/** What belongs to a service beside its adapters. */
export interface Companions {
  readonly events: EventDelivery;
  readonly authentication: Authentication;
  readonly aids: PasswordAids;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
}

/** What browsers are told that ask from other origins: loaded only where there are some. */
const corsOf = async ({ origins }: Configuration['server']): Promise<Middleware | null> =>
  origins.length === 0 ? null : (await import('../adapters/http/cors.ts')).corsFor(origins);

/** Reads what proxies tell: loaded only where some are trusted. */
const proxiesOf = async ({ trustProxy }: Configuration['server']): Promise<TrustedProxies | null> => {
  if (trustProxy === false) return null;
  const { TrustedProxies } = await import('../adapters/http/trusted-proxies.ts');
  return new TrustedProxies(trustProxy);
};

/** Wires the use cases to opened adapters, and makes the application of the public port of them. */
export const applicationOf = async (
  configuration: Configuration,
  adapters: Adapters,
  { events: { announcements }, authentication: { authenticator }, aids, audit }: Companions,
  observation: Observation,
  log: Log,
): Promise<Application> => {
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
    proxies: await proxiesOf(server),
    cors: await corsOf(server),
    audit,
  });
};

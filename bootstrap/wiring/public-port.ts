import type Koa from 'koa';
import type { Middleware } from 'koa';
import { usersWithoutPassword, wholeUsers } from '../../adapters/http/api/user-schema.ts';
import { createService } from '../../adapters/http/server/pipeline.ts';
import type { Audit } from '../../adapters/http/server/request-audit.ts';
import { requestLog } from '../../adapters/http/server/request-log.ts';
import type { TrustedProxies } from '../../adapters/http/server/trusted-proxies.ts';
import { userLimits } from '../../adapters/kit/user-json.ts';
import { defaultHtml, defaultText } from '../../adapters/mailers/default-mail-template.ts';
import { compose, type Interceptor, timeoutInterceptor } from '../../application/interceptor.ts';
import type { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { Log } from '../../application/ports/log.ts';
import type { MailTemplate } from '../../application/users/verification-mail.ts';
import type { Configuration } from '../configuration/index.ts';
import { type Adapters, wire } from '../container.ts';
import type { Authentication } from './authentication.ts';
import type { EventDelivery } from './event-delivery.ts';
import type { Observation } from './observability.ts';
import type { PasswordHelpers } from './password-helpers.ts';
import { routesOf } from './routes.ts';

const templateOf = ({ email }: Configuration): MailTemplate => {
  const { subject, placeholder, text, html } = email?.message ?? { subject: '', placeholder: '-', text: '', html: '' };
  return { subject, placeholder, text: text ?? defaultText(placeholder), html: html ?? defaultHtml(placeholder) };
};

/** Bounds the wrong passwords that can be tried: loaded only where it is to. */
const throttleOf = async (
  { throttle, operationTimeout }: Configuration,
  { attempts }: Adapters,
): Promise<LoginThrottle | null> => {
  if (throttle === null || attempts === null) return null;
  const { LoginThrottle } = await import('../../application/passwords/login-throttle.ts');
  return new LoginThrottle(attempts, throttle.limits, operationTimeout);
};

/** Every message is watched, and bounded in time. */
export const messageInterceptor = ({ operationTimeout }: Configuration, { messages }: Observation): Interceptor =>
  compose(messages, timeoutInterceptor(operationTimeout));

/** What belongs to a service beside its adapters. */
export interface Companions {
  readonly events: EventDelivery;
  readonly authentication: Authentication;
  readonly passwordHelpers: PasswordHelpers;
  /** Null where requests are not audited. */
  readonly audit: Audit | null;
}

/** What browsers are told that ask from other origins: loaded only where there are some. */
const corsOf = async ({ origins }: Configuration['server']): Promise<readonly Middleware[]> =>
  origins.length === 0 ? [] : [(await import('../../adapters/http/server/cors.ts')).corsFor(origins)];

/** Reads what proxies tell: loaded only where some are trusted. */
const proxiesOf = async ({ trustProxy }: Configuration['server']): Promise<TrustedProxies | null> => {
  if (trustProxy === false) return null;
  const { TrustedProxies } = await import('../../adapters/http/server/trusted-proxies.ts');
  return new TrustedProxies(trustProxy);
};

/** Wires the use cases to opened adapters, and makes the application of the public port of them. */
export const applicationOf = async (
  configuration: Configuration,
  adapters: Adapters,
  { events: { domainEvents }, authentication: { authenticator }, passwordHelpers, audit }: Companions,
  observation: Observation,
  log: Log,
): Promise<Koa> => {
  const { server, logging, openApi, auth, privacy } = configuration;
  const { metrics, tracing } = observation;
  const { commands, queries } = wire(adapters, {
    passwords: { ...configuration.passwordHash, hideUnknownUsers: configuration.privacy.hideUnknownUsers },
    checkHelpers: passwordHelpers,
    timeoutMs: configuration.operationTimeout,
    throttle: await throttleOf(configuration, adapters),
    limits: userLimits(configuration.properties),
    verificationOnUpdate: configuration.verificationOnUpdate,
    links: {
      whenUnknown: privacy.hideUnknownUsers ? 'token_mismatch' : 'user_not_found',
      tokenLifetimeMs: configuration.email?.tokenLifetime ?? null,
    },
    resendIntervalMs: configuration.email?.resendInterval ?? null,
    mail: templateOf(configuration),
    events: domainEvents,
    interceptor: messageInterceptor(configuration, observation),
  });
  const users = privacy.hidePasswords ? usersWithoutPassword : wholeUsers;
  return createService({
    routes: await routesOf(configuration, users, { commands, queries }),
    authenticator,
    documentation: openApi.enabled
      ? { information: openApi, security: auth?.type ?? 'none', publicUrl: server.publicUrl, user: users.schema }
      : null,
    observers: [
      requestLog(log, logging.requests),
      (ctx, route, milliseconds) => metrics.recordRequest(ctx.method, route, ctx.status, milliseconds),
      ...(audit === null ? [] : [audit.observe]),
    ],
    tracer: tracing?.requests ?? null,
    log,
    proxies: await proxiesOf(server),
    before: await corsOf(server),
  });
};

// The parts of the public port that depend on the configuration; optional ones are loaded only if it switches them on.
import type { RequestListener } from 'node:http';
import { passwordCheckRoute } from '../../adapters/http/api/accounts/password-check-route.ts';
import { ignoredPassword, password } from '../../adapters/http/api/accounts/password-header.ts';
import { userRoutes } from '../../adapters/http/api/accounts/user-routes.ts';
import { userSchema } from '../../adapters/http/api/accounts/user-schema.ts';
import { languagesOfMails } from '../../adapters/http/api/parameters.ts';
import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import type { Parameter, Route } from '../../adapters/http/api/route-types.ts';
import { verificationRoutes } from '../../adapters/http/api/verification/verification-routes.ts';
import type { Documentation } from '../../adapters/http/openapi/documentation.ts';
import { customPagePolicy } from '../../adapters/http/pages/link-pages.ts';
import { Readiness, withReadiness } from '../../adapters/http/server/readiness.ts';
import type { TrustedProxies } from '../../adapters/http/server/trusted-proxies.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import type { Component } from '../../application/health.ts';
import type { Configuration } from '../configuration/index.ts';
import type { Feature, Services } from '../features/feature.ts';
import { openPageLanguages } from './page-languages.ts';
import { hiddenFields, shownFields, showsPasswordTime, userForm } from './user-form.ts';

/** How a route reads the client address; null unless wrong passwords are counted for addresses. */
const clientAddressOf = async (throttle: Configuration['throttle']): Promise<Parameter<string | undefined> | null> => {
  if (throttle === null || throttle.limits.clientFailures === 0) return null;
  const { connectionAddress, headerAddress } = await import('../../adapters/http/api/accounts/client-parameters.ts');
  return throttle.clientHeader === null ? connectionAddress : headerAddress(throttle.clientHeader);
};

const routeOptions = async (configuration: Configuration): Promise<RouteOptions> => {
  const { passwordHash, passwordRules, properties, throttle, privacy, email, verification } = configuration;
  const { headerCheck, serverSideHash } = passwordHash;
  const { confirmChange, resendIntervalMs } = verification;
  const client = await clientAddressOf(throttle);
  const isMultilingual = email !== null && email.languages.tags.length > 1;
  return {
    caller: { supplied: headerCheck ? password : ignoredPassword, ...(client !== null && { client }) },
    ruledOut: {
      invalid_properties: properties === null,
      resend_too_soon: !confirmChange || resendIntervalMs === null,
      too_many_attempts: !headerCheck || throttle === null,
      user_not_found: privacy.hideUnknownUsers && headerCheck,
      weak_password: passwordRules === null,
      wrong_password: !headerCheck,
    },
    hashesPasswords: serverSideHash,
    mailLanguages: isMultilingual ? { languages: languagesOfMails } : {},
    editLanguages: isMultilingual && confirmChange ? { languages: languagesOfMails } : {},
    ...userForm(configuration),
  };
};

/** The routes of `/verify`; none unless mails are sent. */
const openVerificationRoutes = async (
  { email, server, verification }: Configuration,
  options: RouteOptions,
  commands: CommandBus,
  queries: QueryBus,
): Promise<readonly Route[]> => {
  if (email === null) return [];
  const confirm = email.confirmPage ? await import('../../adapters/http/api/verification/confirm-page-route.ts') : null;
  const custom = email.message.successPage;
  const verificationOptions = {
    ...options,
    publicUrl: server.publicUrl,
    successPage: custom === null ? null : { html: custom, policy: customPagePolicy },
    pageLanguage: await openPageLanguages(email, 'verification'),
    ruledOut: {
      ...options.ruledOut,
      resend_too_soon: verification.resendIntervalMs === null,
      token_expired: verification.tokenLifetimeMs === null,
    },
    sendsMail: !verification.queue,
    confirmPage: confirm?.presentConfirmPage ?? null,
  };
  return [
    ...verificationRoutes(commands, queries, verificationOptions),
    ...(confirm === null ? [] : [confirm.confirmPageRoute(commands, verificationOptions)]),
  ];
};

/** The routes of the public port. */
export const openRoutes = async (
  configuration: Configuration,
  features: readonly Feature[],
  services: Services,
): Promise<readonly Route[]> => {
  const [commands, queries] = [services.get(CommandBus), services.get(QueryBus)];
  const options = await routeOptions(configuration);
  // A password in a body is checked in any case.
  const { privacy, throttle } = configuration;
  const checked = {
    user_not_found: privacy.hideUnknownUsers,
    wrong_password: false,
    too_many_attempts: throttle === null,
  };
  const routes = [
    ...userRoutes(commands, queries, options),
    passwordCheckRoute(queries, { ...options, ruledOut: { ...options.ruledOut, ...checked } }),
    ...(await openVerificationRoutes(configuration, options, commands, queries)),
  ];
  for (const feature of features) routes.push(...((await feature.routes?.(services, options)) ?? []));
  return routes;
};

/** The description of the API; null if it is not published. */
export const documentationOf = (configuration: Configuration): Documentation | null => {
  const { openApi, auth, server } = configuration;
  return openApi.enabled
    ? {
        information: openApi,
        security: auth?.type ?? 'none',
        fetchesKeys: auth?.type === 'oauth' && auth.jwksUrl !== null,
        publicUrl: server.publicUrl,
        user: userSchema(hiddenFields(configuration), showsPasswordTime(configuration), shownFields(configuration)),
        keysOption: 'auth.keys',
        earlierCodes: () => [],
      }
    : null;
};

/** Adds `/readyz` to the public port; returns `handle` unchanged unless the configuration asks for it. */
export const withPublicReadiness = (
  { readinessOnPublicPort }: Configuration['server'],
  handle: RequestListener,
  component: Component,
  isStopping: () => boolean,
): RequestListener => {
  if (!readinessOnPublicPort) return handle;
  return withReadiness(handle, new Readiness(component, isStopping));
};

/** Null unless X-Forwarded headers are trusted. */
export const openTrustedProxies = async ({ trustProxy }: Configuration['server']): Promise<TrustedProxies | null> => {
  if (trustProxy === false) return null;
  const { TrustedProxies } = await import('../../adapters/http/server/trusted-proxies.ts');
  return new TrustedProxies(trustProxy);
};

import { createHash } from 'node:crypto';
import { recoveryPageRoutes } from '../../adapters/http/api/recovery/recovery-page-routes.ts';
import {
  confirmRecoveryRoute,
  issueRecoveryRoute,
  requestRecoveryRoute,
} from '../../adapters/http/api/recovery/recovery-routes.ts';
import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import type { Route } from '../../adapters/http/api/route-types.ts';
import type { PasswordPageKind } from '../../adapters/http/pages/form-pages.ts';
import { pageLink, publicPaths } from '../../adapters/http/paths.ts';
import { requestMetricFamilies } from '../../adapters/observability/delivery-metrics.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { CommandBus, QueryBus } from '../../application/bus.ts';
import { codeTokens, linkTokens } from '../../application/mailed-tokens.ts';
import { RequestBacklog } from '../../application/outgoing/delayed-requests.ts';
import { type MailSecret, UserMail } from '../../application/outgoing/mail-queue.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { Clock } from '../../application/ports/clock.ts';
import { CheckRecoveryHandler, ConfirmRecoveryHandler } from '../../application/recovery/confirm-recovery.ts';
import { IssueRecoveryHandler } from '../../application/recovery/issue-recovery.ts';
import {
  RecoveryRequests,
  RequestRecoveryHandler,
  recoveryDestination,
  StartRecoveryHandler,
} from '../../application/recovery/request-recovery.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { SettlingStore } from '../../application/writing/settling-store.ts';
import type { Configuration } from '../configuration/index.ts';
import { requiredMailOutbox, stateOfRequests } from '../service/event-delivery.ts';
import { type Feature, type FeatureContext, linkBaseOf, type Services } from './feature.ts';
import { statedRules } from './password-rules-block.ts';
import { hasRecoveryPage, type RecoveryBlock, tokenLimits } from './recovery-block.ts';

const secretOf = ({ form, pageUrl }: RecoveryBlock, configuration: Configuration): MailSecret =>
  form === 'code' ? (_, token) => token : pageLink(pageUrl ?? `${linkBaseOf(configuration)}${publicPaths.recovery}`);

/** Identifies the options on which links and codes depend, so that services of one database notice a difference. */
const identifierOf = ({ recovery, server }: Configuration): string =>
  createHash('sha256')
    // Only the key that makes codes, because services may change to it one after the other. No page of notices, which has
    // no effect on links and codes.
    .update(
      JSON.stringify([
        recovery && { ...recovery, codeKeys: recovery.codeKeys[0]?.secret, requestUrl: undefined },
        server.publicUrl,
      ]),
    )
    .digest('base64url')
    .slice(0, 12);

/** With `deliver: mail`, requests are stored, and answered with a mail after a while. */
const withMails = (recovery: RecoveryBlock, context: FeatureContext): Feature => {
  const { configuration, log } = context;
  const { lifetimeMs } = recovery;
  const { operationTimeoutMs } = configuration;
  const outbox = requiredMailOutbox(context, 'recovery', 'write deliver: caller');
  const identifier = identifierOf(configuration);
  return {
    commands: ({ get }) => {
      const backlog = new RequestBacklog(outbox, recoveryDestination, 'requests for a recovery', lifetimeMs);
      const requests = new RequestRecoveryHandler(outbox, backlog, get(Clock), identifier);
      return {
        RequestRecovery: requests,
        StartRecovery: new StartRecoveryHandler(get(SettlingStore), requests),
      };
    },
    deliveries: async ({ get }) => [
      {
        component: 'recovery',
        targets: [new RecoveryRequests(get(CommandBus), operationTimeoutMs, lifetimeMs, log, identifier)],
        hasAges: true,
        lineOf: stateOfRequests,
        metricsOf: ({ states }) => states.flatMap(requestMetricFamilies),
      },
    ],
  };
};

/** The pages of the link in a mail, on which a person chooses a password. */
export const passwordPages = async (
  kind: PasswordPageKind,
  { get, pages }: Services,
  options: RouteOptions,
  configuration: Configuration,
): Promise<readonly Route[]> => {
  const { passwordRules } = configuration;
  const [commands, queries, pageLanguage] = [get(CommandBus), get(QueryBus), await pages.languageOf(kind)];
  const rules = passwordRules === undefined ? [] : statedRules(passwordRules);
  const publicUrl = linkBaseOf(configuration);
  return recoveryPageRoutes({ ...options, commands, queries, pageLanguage, publicUrl, passwordRules: rules }, kind);
};

/** The block `recovery`: users replace a forgotten password with a token that is mailed to them. */
export const open = async (recovery: RecoveryBlock, context: FeatureContext): Promise<Feature> => {
  const { configuration, adapters, log } = context;
  const { operationTimeoutMs } = configuration;
  const { deliver } = recovery;
  const [codeKey, ...formerKeys] = recovery.codeKeys;
  const attemptLimits = tokenLimits(recovery);
  const hasPage = hasRecoveryPage(recovery);
  const tokens = codeKey === undefined ? linkTokens : codeTokens([codeKey, ...formerKeys], adapters.clock);
  const tokenAttempts = new PrefixedAttempts('recovery', await openLimitedAttempts(adapters.store, attemptLimits, log));
  const mailed = deliver === 'mail' ? withMails(recovery, context) : undefined;
  return {
    ...mailed,
    counters: { tokens: tokenAttempts },
    api: { passwordTime: true },
    commands: (services) => {
      const { get, mailQueue, mails, counters } = services;
      const [updates, clock] = [get(OptimisticUpdate), get(Clock)];
      const mail = mailed && new UserMail(mailQueue, mails.localeOf, secretOf(recovery, configuration), 'recovery');
      return {
        ...mailed?.commands?.(services),
        IssueRecovery: new IssueRecoveryHandler(updates, clock, tokens, recovery, mail === undefined ? [] : [mail]),
        ConfirmRecovery: new ConfirmRecoveryHandler(
          updates,
          get(PasswordUpdate),
          tokens,
          clock,
          recovery,
          new LoginThrottle(tokenAttempts, attemptLimits, operationTimeoutMs, tokens.isGuessable),
          counters,
        ),
      };
    },
    queries: ({ get }) =>
      hasPage ? { CheckRecovery: new CheckRecoveryHandler(get(SettlingStore), get(Clock), recovery) } : {},
    routes: async (services, options) => {
      const commands = services.get(CommandBus);
      const page = hasPage ? await passwordPages('recovery', services, options, configuration) : [];
      return [
        ...page,
        mailed === undefined ? issueRecoveryRoute(commands, options) : requestRecoveryRoute(commands, options),
        confirmRecoveryRoute(commands, options),
      ];
    },
    close: () => tokenAttempts.close(),
  };
};

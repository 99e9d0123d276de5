import { connectionAddress, headerAddress } from '../../adapters/http/api/accounts/client-parameters.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { NewUsers, UserInsertion } from '../../application/accounts/create-user.ts';
import { CommandBus } from '../../application/bus.ts';
import { RequestBacklog } from '../../application/outgoing/delayed-requests.ts';
import { UserMail } from '../../application/outgoing/mail-queue.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import { PasswordUpdate } from '../../application/passwords/password-update.ts';
import { Clock } from '../../application/ports/clock.ts';
import { CompleteSignUpHandler, noticeLifetimeMs, SignUpRequests } from '../../application/sign-up/complete-sign-up.ts';
import { RequestSignUpHandler, signUpDestination } from '../../application/sign-up/request-sign-up.ts';
import { ConfiguredSignUpRules } from '../../application/sign-up/sign-up-rules.ts';
import { VerificationMailing } from '../../application/verification/verification-mailing.ts';
import { OptimisticUpdate } from '../../application/writing/optimistic-update.ts';
import { requiredMailOutbox, stateOfRequests } from '../service/event-delivery.ts';
import { type Feature, type FeatureContext, linkBaseOf } from './feature.ts';
import { type SignUpBlock, signUpLimits } from './sign-up-block.ts';

/** Sign-ups that are stored, and answered with a mail after a while. */
const quietSignUps = (
  { url, interval: intervalMs }: NonNullable<SignUpBlock['quiet']>,
  context: FeatureContext,
): Pick<Feature, 'commands' | 'deliveries'> => {
  const { operationTimeoutMs, email } = context.configuration;
  const outbox = requiredMailOutbox(context, 'signUp.quiet', 'remove the block');
  return {
    commands: ({ get, limits, mailQueue, mails, newUserId, signUpRules, unique }) => {
      const page = () => url ?? email?.productUrl ?? '';
      const notices = { mail: new UserMail(mailQueue, mails.localeOf, page, 'accountExists'), intervalMs };
      const clock = get(Clock);
      return {
        RequestSignUp: new RequestSignUpHandler(
          new NewUsers(get(PasswordUpdate), clock, limits, newUserId, signUpRules),
          outbox,
          new RequestBacklog(outbox, signUpDestination, 'quiet sign-ups', noticeLifetimeMs),
          unique,
        ),
        CompleteSignUp: new CompleteSignUpHandler(
          get(UserInsertion),
          get(OptimisticUpdate),
          get(VerificationMailing),
          notices,
          clock,
          linkBaseOf(context.configuration),
        ),
      };
    },
    deliveries: async ({ get }) => [
      {
        component: 'sign-up',
        targets: [new SignUpRequests(get(CommandBus), operationTimeoutMs, context.log)],
        hasAges: true,
        lineOf: stateOfRequests,
        metricsOf: () => [],
      },
    ],
  };
};

/** The codes with which the rules refuse, which the document has only with them. */
const codesOf = ({ allowedDomains, blockedDomains, oneAccountPerMailbox, perClient }: SignUpBlock) => [
  ...(allowedDomains !== null || blockedDomains !== null ? (['domain_not_allowed'] as const) : []),
  ...(oneAccountPerMailbox ? (['mailbox_taken'] as const) : []),
  ...(perClient === null ? [] : (['too_many_attempts'] as const)),
];

/** The block `signUp`: who may create a user for themselves, and what the response says. */
export const open = async (signUp: SignUpBlock, context: FeatureContext): Promise<Feature> => {
  const { privacy, throttle } = context.configuration;
  const quiet = signUp.quiet === null ? undefined : quietSignUps(signUp.quiet, context);
  const limits = signUpLimits(signUp);
  const clients =
    limits && new PrefixedAttempts('sign-up', await openLimitedAttempts(context.adapters.store, limits, context.log));
  const header = signUp.clientHeader ?? throttle?.clientHeader ?? null;
  const client = header === null ? connectionAddress : headerAddress(header, 'signed up. Sign-ups are counted for it');
  return {
    ...quiet,
    collaborators: { signUpRules: new ConfiguredSignUpRules(signUp, clients) },
    api: {
      signUp: {
        ...(clients !== undefined && { client }),
        ...(quiet !== undefined && { quiet: privacy.quietSignUp ? 'always' : 'preferred' }),
        codes: codesOf(signUp),
      },
    },
    ...(clients !== undefined && { checkDatabase: () => clients.check(), close: () => clients.close() }),
  };
};

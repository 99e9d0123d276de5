import { connectionAddress, headerAddress } from '../../adapters/http/api/accounts/client-parameters.ts';
import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import { ConfiguredSignUpRules } from '../../application/sign-up/sign-up-rules.ts';
import type { Feature, FeatureContext } from './feature.ts';
import { type SignUpBlock, signUpLimits } from './sign-up-block.ts';

/** The counter of sign-ups; undefined if they are not counted. */
const openClients = async (signUp: SignUpBlock, { adapters, log }: FeatureContext) => {
  const limits = signUpLimits(signUp);
  return limits === null
    ? undefined
    : new PrefixedAttempts('sign-up', await openLimitedAttempts(adapters.store, limits, log));
};

/** The block `signUp`: who may create a user for themselves. */
export const open = async (signUp: SignUpBlock, context: FeatureContext): Promise<Feature> => {
  const clients = await openClients(signUp, context);
  const header = signUp.clientHeader ?? context.configuration.throttle?.clientHeader ?? null;
  const client = header === null ? connectionAddress : headerAddress(header, 'signed up. Sign-ups are counted for it');
  return {
    collaborators: { signUpRules: new ConfiguredSignUpRules(signUp, clients) },
    api: { signUp: { ...(clients !== undefined && { client }), codes: codesOf(signUp) } },
    ...(clients !== undefined && { checkDatabase: () => clients.check(), close: () => clients.close() }),
  };
};

/** The codes with which the rules refuse, which the document has only with them. */
const codesOf = ({ allowedDomains, blockedDomains, oneAccountPerMailbox, perClient }: SignUpBlock) => [
  ...(allowedDomains !== null || blockedDomains.size > 0 ? (['domain_not_allowed'] as const) : []),
  ...(oneAccountPerMailbox ? (['mailbox_taken'] as const) : []),
  ...(perClient === null ? [] : (['too_many_attempts'] as const)),
];

import { openLimitedAttempts } from '../../adapters/stores/rate-limited-attempts.ts';
import { codeTokens } from '../../application/mailed-tokens.ts';
import { PrefixedAttempts } from '../../application/passwords/attempt-counting.ts';
import { LoginThrottle } from '../../application/passwords/login-throttle.ts';
import type { AttemptLimits } from '../../application/ports/attempt-counter.ts';
import { withUuids } from '../../application/verification/verification-codes.ts';
import type { CodeBlock } from '../configuration/email-block.ts';
import type { Feature, FeatureContext } from './feature.ts';

/** `email.form: code`: a code that a person enters in the application verifies the address. */
export const open = async (
  { keys, attempts: failures, lifetimeMs }: CodeBlock,
  { configuration: { throttle, operationTimeoutMs }, adapters, log }: FeatureContext,
): Promise<Feature> => {
  const clientFailures = throttle?.limits.clientFailures ?? 0;
  // A code may live for a day, and everybody may share the address of an application.
  const ofClients = throttle && { ofClients: throttle.limits };
  const limits: AttemptLimits = { failures, clientFailures, windowMs: lifetimeMs, blockMs: lifetimeMs, ...ofClients };
  const attempts = new PrefixedAttempts('verification', await openLimitedAttempts(adapters.store, limits, log));
  const codes = new LoginThrottle(attempts, limits, operationTimeoutMs, true);
  const tokens = withUuids(codeTokens(keys, adapters.clock, 'verification '));
  return {
    collaborators: { verification: { tokens, throttle: codes, secretOf: (_, __, code) => code } },
    counters: { codes: attempts },
    close: () => attempts.close(),
  };
};

import { userLimits } from '../../adapters/kit/user-json.ts';
import type { ResendPolicy } from '../../application/commands/send-verification.ts';
import type { CheckPolicy, PasswordOptions } from '../../application/passwords/password-check.ts';
import type { UpdatePolicy } from '../../application/users/user-editor.ts';
import type { LinkPolicy } from '../../application/users/verification-token.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { Configuration } from '../configuration/index.ts';

/**
 * What the configuration decides for the use cases: the policies that they declare. It is passed as a whole, so that a
 * new option changes only its block and its handler.
 */
export interface Policies extends PasswordOptions, CheckPolicy, LinkPolicy, UpdatePolicy, ResendPolicy {
  readonly limits: UserLimits;
  /** Whether verification mails are stored before they are sent. */
  readonly queue: boolean;
  /** Of a whole operation. */
  readonly timeoutMs: number;
}

const defaultChangeLifetimeMs = 24 * 60 * 60_000;

/** How long a new address waits for its confirmation, in milliseconds. */
export const changeLifetimeOf = ({ verification }: Configuration): number =>
  verification.tokenLifetimeMs ?? defaultChangeLifetimeMs;

/** The options of whole blocks, under their names. */
export const policiesOf = (configuration: Configuration): Policies => {
  const { headerSafe, headerCheck } = configuration.passwordHash;
  return {
    ...configuration.passwordHash,
    ...configuration.privacy,
    ...configuration.verification,
    timeoutMs: configuration.operationTimeoutMs,
    limits: userLimits(configuration.properties, headerSafe && headerCheck),
  };
};

import { userLimits } from '../../adapters/kit/user-json/user-codecs.ts';
import type { UserLimits } from '../../domain/user-limits.ts';
import type { Configuration } from '../configuration/index.ts';

/**
 * What the configuration decides for the use cases: the options of whole blocks, under their names. A handler declares
 * the options that it needs, so that a new one changes only its block and its handler.
 */
export type Policies = Configuration['passwordHash'] &
  Configuration['privacy'] &
  Configuration['verification'] & {
    readonly limits: UserLimits;
    /** Of a whole operation. */
    readonly timeoutMs: number;
  };

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

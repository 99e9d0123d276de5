import { identity } from 'fp-ts/lib/function.js';
import { exampleProperties } from '../../adapters/http/api/accounts/property-schemas.ts';
import { userBodies } from '../../adapters/http/api/accounts/user-bodies.ts';
import { type HiddenFields, userResponses } from '../../adapters/http/api/accounts/user-schema.ts';
import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import { withoutPasswordTime, withPasswordTime } from '../../adapters/kit/password-time.ts';
import { pendingWriter, withoutPendingMember } from '../../adapters/kit/pending-address.ts';
import { publicFields, userJson, userJsonWithoutPassword } from '../../adapters/kit/user-json.ts';
import { moveLifetimeOf } from '../../domain/address-move.ts';
import type { UserField } from '../../domain/user-fields.ts';
import type { Configuration } from '../configuration/index.ts';

/** Whether responses say when the password was set, so that applications can end the sessions from before. */
export const showsPasswordTime = ({ passwordRules, recovery }: Configuration): boolean =>
  passwordRules !== null || recovery !== null;

/** How routes read, write and describe users. */
export type UserForm = Pick<RouteOptions, 'trimBody' | 'writeUser' | 'bodies' | 'describeUser'>;

/** The internal fields that responses contain nevertheless. */
export const shownFields = ({ verification }: Configuration): ReadonlySet<UserField['name']> =>
  new Set(verification.confirmChange ? ['pending'] : []);

/** The fields that responses leave out. */
export const hiddenFields = ({ privacy }: Pick<Configuration, 'privacy'>): HiddenFields =>
  new Set(privacy.hidePasswords ? ['password'] : []);

/** How responses show a new address that waits for its confirmation, and how bodies may repeat it. */
const pendingForm = (configuration: Configuration): Pick<RouteOptions, 'trimBody' | 'writeUser'> => {
  const withPassword = !configuration.privacy.hidePasswords;
  if (!configuration.verification.confirmChange)
    return { trimBody: identity, writeUser: withPassword ? userJson : userJsonWithoutPassword };
  const writeUser = pendingWriter(
    publicFields(withPassword),
    moveLifetimeOf(configuration.verification.tokenLifetimeMs),
  );
  return { trimBody: withoutPendingMember, writeUser };
};

/**
 * The form of users in requests and responses, with or without the stored hash, the time of the password, and a new
 * address that waits for its confirmation.
 */
export const userForm = (configuration: Configuration): UserForm => {
  const { trimBody, writeUser } = pendingForm(configuration);
  const hasTime = showsPasswordTime(configuration);
  const { properties } = configuration;
  const { confirmChange, verificationOnUpdate } = configuration.verification;
  const described = {
    bodies: userBodies(properties, hasTime, confirmChange, verificationOnUpdate === 'body'),
    describeUser: userResponses(hiddenFields(configuration), hasTime, exampleProperties(properties, { name: 'Jane' })),
  };
  if (!hasTime) return { trimBody, writeUser, ...described };
  return {
    trimBody: (body) => withoutPasswordTime(trimBody(body)),
    writeUser: withPasswordTime(writeUser),
    ...described,
  };
};

import type { RouteOptions } from '../../adapters/http/api/route-options.ts';
import { userResponses } from '../../adapters/http/api/user-schema.ts';
import { userJson, userJsonWithoutPassword } from '../../adapters/kit/user-json.ts';
import type { Configuration } from '../configuration/index.ts';

/** Whether responses say when the password was set, so that applications can end the sessions from before. */
export const showsPasswordTime = ({ passwordRules, recovery }: Configuration): boolean =>
  passwordRules !== null || recovery !== null;

/** How routes read, write and describe users. */
export type UserForm = Pick<RouteOptions, 'trimBody' | 'writeUser' | 'describeUser'>;

/** The form of users in requests and responses, with or without the stored hash and the time of the password. */
export const openUserForm = async (configuration: Configuration): Promise<UserForm> => {
  const withPassword = !configuration.privacy.hidePasswords;
  const writeUser = withPassword ? userJson : userJsonWithoutPassword;
  if (!showsPasswordTime(configuration))
    return { trimBody: (body) => body, writeUser, describeUser: userResponses(withPassword, false) };
  const { withPasswordTime, withoutPasswordTime } = await import('../../adapters/kit/password-time.ts');
  return {
    trimBody: withoutPasswordTime,
    writeUser: withPasswordTime(writeUser),
    describeUser: userResponses(withPassword, true),
  };
};

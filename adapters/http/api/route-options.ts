import { ignoredPassword, password } from './parameters.ts';
import type { Parameter } from './route-description.ts';

/** What the configuration decides about several routes. */
export interface RouteOptions {
  /** How the routes that check a password read it. */
  readonly caller: {
    readonly password: Parameter<string | undefined>;
    readonly client?: Parameter<string | undefined>;
  };
  /** How they refuse a wrong password. */
  readonly wrongPassword: readonly ('wrong_password' | 'too_many_attempts')[];
  /** Empty if unknown users are hidden. */
  readonly unknownUser: readonly 'user_not_found'[];
}

/** The options of the blocks `passwordHash`, `throttle` and `privacy` on which the routes depend. */
export interface RouteConfiguration {
  readonly headerCheck: boolean;
  readonly hideUnknownUsers: boolean;
  /** Null if wrong passwords are not limited; `client` reads the address for which they are counted, if any. */
  readonly throttle: { readonly client: Parameter<string | undefined> | null } | null;
}

export const routeOptions = ({ headerCheck, hideUnknownUsers, throttle }: RouteConfiguration): RouteOptions => ({
  caller: {
    password: headerCheck ? password : ignoredPassword,
    ...(throttle !== null && throttle.client !== null && { client: throttle.client }),
  },
  wrongPassword: throttle === null ? ['wrong_password'] : ['wrong_password', 'too_many_attempts'],
  unknownUser: hideUnknownUsers ? [] : ['user_not_found'],
});

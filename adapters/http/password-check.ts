import { connectionAddress, namedAddress } from './client-address.ts';
import { ignoredPassword, password } from './parameters.ts';
import type { ProblemCode } from './problems.ts';
import type { Parameter } from './route.ts';

/** What the routes that ask for a password have in common: how it is read, and how they refuse a wrong one. */
export interface PasswordCheck {
  readonly parameters: {
    readonly password: Parameter<string | undefined>;
    readonly client?: Parameter<string | undefined>;
  };
  readonly refusals: readonly ProblemCode[];
}

/** The check where nothing bounds how many wrong passwords are tried; without `headerCheck` every password will do. */
export const unboundedCheck = (headerCheck: boolean): PasswordCheck => ({
  parameters: { password: headerCheck ? password : ignoredPassword },
  refusals: ['wrong_password'],
});

/** Where an address is found for which wrong passwords are counted. */
export interface ClientAddress {
  /** The header in which clients tell it; null takes that of the connection. */
  readonly header: string | null;
}

/** The check where too many wrong passwords are refused, for a user and, unless `client` is null, for an address. */
export const boundedCheck = (client: ClientAddress | null): PasswordCheck => ({
  parameters: {
    password,
    ...(client !== null && { client: client.header === null ? connectionAddress : namedAddress(client.header) }),
  },
  refusals: ['wrong_password', 'too_many_attempts'],
});

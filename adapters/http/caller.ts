import { connectionAddress, namedAddress } from './client-address.ts';
import { ignoredPassword, password } from './parameters.ts';
import type { ProblemCode } from './problems.ts';
import type { Parameter } from './route.ts';

/** What the routes that ask for a password have in common: how it is read, and how a wrong one is refused. */
export interface CallerInput {
  readonly parameters: {
    readonly password: Parameter<string | undefined>;
    readonly client?: Parameter<string | undefined>;
  };
  readonly refusals: readonly ProblemCode[];
}

/** Where nothing bounds how many wrong passwords are tried; without `headerCheck` every password will do. */
export const anyCaller = (headerCheck: boolean): CallerInput => ({
  parameters: { password: headerCheck ? password : ignoredPassword },
  refusals: ['wrong_password'],
});

/** Where an address is found for which wrong passwords are counted. */
export interface ClientAddress {
  /** The header in which clients tell it; null takes that of the connection. */
  readonly header: string | null;
}

/** Where too many wrong passwords are refused, for a user and, unless `client` is null, for an address. */
export const throttledCaller = (client: ClientAddress | null): CallerInput => ({
  parameters: {
    password,
    ...(client !== null && { client: client.header === null ? connectionAddress : namedAddress(client.header) }),
  },
  refusals: ['wrong_password', 'too_many_attempts'],
});

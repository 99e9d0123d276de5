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

/** Where too many wrong passwords are refused, for a user and, unless `client` is null, for the address that it reads. */
export const throttledCaller = (client: Parameter<string | undefined> | null): CallerInput => ({
  parameters: { password, ...(client !== null && { client }) },
  refusals: ['wrong_password', 'too_many_attempts'],
});

import type { Supplied } from '../../../application/passwords/without-password.ts';
import type { User } from '../../../domain/user.ts';
import type { Decode, OptionalId } from '../../kit/user-json/optional-members.ts';
import type { PropertyAccess } from '../../kit/user-json/property-access.ts';
import type { Client } from '../authentication/authenticator.ts';
import type { UserBodies } from './accounts/user-bodies.ts';
import type { ProblemCode } from './problems.ts';
import type { Parameter, ResponseDescription } from './route-types.ts';
import type { UserKeys } from './user-key.ts';

/** Differences between a new user and the one in the example of a response. */
export interface ExampleChanges {
  readonly verified?: boolean;
  readonly verificationToken?: string | null;
  readonly later?: boolean;
}

/** What the block `signUp` changes in `POST /users`. */
export interface SignUpOptions {
  /** Absent if sign-ups are not counted. */
  readonly client?: Parameter<string | undefined>;
  readonly codes: readonly ProblemCode[];
  /** Whether responses say the same for every address: if a request asks for it, or always; never if absent. */
  readonly quiet?: 'preferred' | 'always';
}

/** Settings that several routes share. */
export interface RouteOptions {
  /** Parameters of the routes that check a password: the password, and the address for which wrong ones are counted. */
  readonly caller: {
    readonly supplied: Parameter<Supplied>;
    readonly client?: Parameter<string | undefined>;
  };
  /** How the route that creates users reads the address of the person, and the codes of the rules for sign-up. */
  readonly signUp?: SignUpOptions;
  /** How the routes that lead to mails read the languages of the request; empty if all mails are in one language. */
  readonly mailLanguages: { readonly languages?: Parameter<readonly string[]> };
  /** The same for the routes that may change the address; empty if the new mailbox gets no mail. */
  readonly editLanguages: RouteOptions['mailLanguages'];
  /** The ways in which requests name a user. */
  readonly keys: UserKeys;
  /** Decodes a body without the members that only the service sets, and with the id where users have ids. */
  readonly decoder: <A extends object>(decode: Decode<A>) => Decode<A & OptionalId>;
  /** Writes the JSON of a user for a client, with or without the stored password. */
  readonly writeUser: (user: User, client?: Client) => string;
  /** How the routes that write custom properties read what the client may do with them; empty if every one may do everything. */
  readonly propertyLimits: { readonly access?: Parameter<PropertyAccess | undefined> };
  /** Describes the bodies with users. */
  readonly bodies: UserBodies;
  /** Describes a response with a user. */
  readonly describeUser: (description: string, changes?: ExampleChanges) => ResponseDescription;
}

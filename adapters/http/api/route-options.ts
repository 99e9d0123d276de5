import type { User } from '../../../domain/user.ts';
import type { JsonObject } from '../../kit/exact-json.ts';
import type { UserBodies } from './accounts/user-bodies.ts';
import type { Parameter, ResponseDescription } from './route-types.ts';

/** Differences between a new user and the one in the example of a response. */
export interface ExampleChanges {
  readonly verified?: boolean;
  readonly verificationToken?: string | null;
  readonly later?: boolean;
}

/** Settings that several routes share. */
export interface RouteOptions {
  /** Parameters of the routes that check a password: the password, and the address for which wrong ones are counted. */
  readonly caller: {
    readonly supplied: Parameter<string | undefined>;
    readonly client?: Parameter<string | undefined>;
  };
  /** How the routes that lead to mails read the languages of the request; empty if all mails are in one language. */
  readonly mailLanguages: { readonly languages?: Parameter<readonly string[]> };
  /** The same for the routes that may change the address; empty if the new mailbox gets no mail. */
  readonly editLanguages: RouteOptions['mailLanguages'];
  /** Returns a body without the members of a user that only the service sets. */
  readonly trimBody: (body: JsonObject) => JsonObject;
  /** Writes the JSON of a user, with or without the stored password. */
  readonly writeUser: (user: User) => string;
  /** Describes the bodies with users. */
  readonly bodies: UserBodies;
  /** Describes a response with a user. */
  readonly describeUser: (description: string, changes?: ExampleChanges) => ResponseDescription;
}

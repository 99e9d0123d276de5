import type { FailureCode } from '../../../domain/failure.ts';
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

/** The type of `ruledOut`: an empty list that `[]` cannot replace, so that no route omits a failure by accident. */
class NoRefusals extends Array<never> {
  protected readonly isRuledOut = true;
}
export const ruledOut = new NoRefusals();

/** The refusals of a failure that the configuration may rule out. */
export type RefusalUnlessRuledOut<Code extends FailureCode> = readonly [Code] | typeof ruledOut;

/** Settings that several routes share. */
export interface RouteOptions {
  /** Parameters of the routes that check a password: the password, and the address for which wrong ones are counted. */
  readonly caller: {
    readonly supplied: Parameter<string | undefined>;
    readonly client?: Parameter<string | undefined>;
  };
  /**
   * Failures of the same routes: a wrong password, unless the header is not checked, or a state of the user that forbids
   * the request.
   */
  readonly wrongPassword: readonly [
    'user_disabled',
    'password_change_required',
    ...('wrong_password' | 'too_many_attempts')[],
  ];
  /** How the routes that lead to mails read the languages of the request; empty if all mails are in one language. */
  readonly mailLanguages: { readonly languages?: Parameter<readonly string[]> };
  /** The same for the routes that may change the address; empty if the new mailbox gets no mail. */
  readonly editLanguages: RouteOptions['mailLanguages'];
  /** Ruled out if the new mailbox gets no mail, or mails have no minimum interval. */
  readonly editTooSoon: RefusalUnlessRuledOut<'resend_too_soon'>;
  /** Failures of the routes that store a user; those of rules depend on the configuration. */
  readonly invalidUser: readonly [
    'unsuitable_address',
    'unsuitable_password',
    'user_too_large',
    ...('invalid_properties' | 'weak_password')[],
  ];
  /** Whether the `password` header is checked. */
  readonly checksHeader: boolean;
  /** Whether new passwords are hashed here, and not by clients. */
  readonly hashesPasswords: boolean;
  /** Ruled out if new passwords have no rules. */
  readonly weakPassword: RefusalUnlessRuledOut<'weak_password'>;
  /** Ruled out if unknown users are hidden. */
  readonly unknownUser: RefusalUnlessRuledOut<'user_not_found'>;
  /** Returns a body without the members of a user that only the service sets. */
  readonly trimBody: (body: JsonObject) => JsonObject;
  /** Writes the JSON of a user, with or without the stored form of the password. */
  readonly writeUser: (user: User) => string;
  /** Describes the bodies with users. */
  readonly bodies: UserBodies;
  /** Describes a response with a user. */
  readonly describeUser: (description: string, changes?: ExampleChanges) => ResponseDescription;
}

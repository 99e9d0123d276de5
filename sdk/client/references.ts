/** A user by the address. */
interface ByAddress {
  readonly email: string;
  readonly id?: undefined;
  readonly unique?: undefined;
}

/** A user by the id, where the service has `users.ids`. */
interface ById {
  readonly id: string;
  readonly email?: undefined;
  readonly unique?: undefined;
}

/** A user by one unique property: its name and value, as in `{ username: 'jane' }`. */
interface ByProperty {
  readonly unique: Readonly<Record<string, string | number>>;
  readonly email?: undefined;
  readonly id?: undefined;
}

/** What names a user: exactly one of `email`, `id` and `unique`. */
export type UserKey = ByAddress | ById | ByProperty;

interface OwnPassword {
  /** For the `password` header; omit it where the service does not check one. */
  readonly password?: string;
}

interface Condition extends OwnPassword {
  /**
   * The `etag` of an earlier result: if the user has changed since, the problem is `stale_user`, and nothing changes.
   */
  readonly ifMatch?: string;
}

export interface Language {
  /** The `Accept-Language` header of the user's browser: the mail is in the first language that the service has. */
  readonly acceptLanguage?: string;
}

interface Token {
  readonly token: string;
}

/** A user, and the password. */
export type UserReference = UserKey & OwnPassword;

/** A user, and a password to check. */
export type PasswordReference = UserKey & Required<OwnPassword>;

/** A user to change. */
export type ChangeReference = UserKey & Condition;

/** A user to whom a mail is sent, or may be sent by a change of the address. */
export type MailReference = ChangeReference & Language;

/** A user to read. */
export type ReadReference = UserReference & {
  /** Whether no earlier write of the user, to which there was no answer or 503, may be applied after the response. */
  readonly settled?: boolean;
};

/** A user who forgot the password. */
export type RecoveryRequest = UserKey & Language;

/** The new password of a user who forgot the former one, and the token or code of the mail. */
export type RecoveryConfirmation = PasswordReference & Token;

/** A user, by the present address or otherwise, and the token of a link about a new address. */
export type ChangeToken = UserKey & Token;

/** The query that names a user. The types of the OpenAPI document do not have the unique properties of a service. */
export const queryOf = ({ email, id, unique }: UserKey): { readonly email?: string; readonly id?: string } => ({
  ...(email !== undefined && { email }),
  ...(id !== undefined && { id }),
  ...unique,
});

/** The members of a body that name a user. */
export const membersOfKey = (key: UserKey): { readonly email?: { address: string }; readonly id?: string } => {
  const { email, ...others } = queryOf(key);
  return email === undefined ? others : { email: { address: email }, ...others };
};

export const languageHeader = (acceptLanguage: string | undefined): { readonly 'Accept-Language'?: string } =>
  acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage };

/** A body of any type: the types of the OpenAPI document do not have the custom properties of a client. */
export const membersOf = (body: object) => ({ ...body });

/** A user by the address or the id; a text may be either. */
export type AdministeredUser = string | ByAddress | ById;

/** A user to change. With `ifMatch`, the `etag` of an earlier result, a user that has changed since is `stale_user`. */
export type AdministeredReference = string | ((ByAddress | ById) & Pick<Condition, 'ifMatch'>);

/** The address or the id in the path of a request. */
export const pathOf = (user: AdministeredUser): { readonly address: string } => ({
  address: typeof user === 'string' ? user : (user.id ?? user.email),
});

/** A user's address, and the password for the `password` header; omit it where the service does not check one. */
export interface UserReference {
  readonly email: string;
  readonly password?: string;
}

/** A user to change. */
export interface ChangeReference extends UserReference {
  /**
   * The `etag` of an earlier result: if the user has changed since, the problem is `stale_user`, and nothing changes.
   */
  readonly ifMatch?: string;
}

/** A user to whom a mail is sent, or may be sent by a change of the address. */
export interface MailReference extends ChangeReference {
  /** The `Accept-Language` header of the user's browser: the mail is in the first language that the service has. */
  readonly acceptLanguage?: string;
}

/** A user to read. */
export interface ReadReference extends UserReference {
  /** Whether no earlier write of the user, to which there was no answer or 503, may be applied after the response. */
  readonly settled?: boolean;
}

/** A user who forgot the password. */
export interface RecoveryRequest {
  readonly email: string;
  /** The `Accept-Language` header of the person's browser, as for other mails. */
  readonly acceptLanguage?: string;
}

/** The new password of a user who forgot the former one, and the token or code of the mail. */
export interface RecoveryConfirmation extends Required<UserReference> {
  readonly token: string;
}

/** The present address of a user, and the token of a link about a new one. */
export interface ChangeToken {
  readonly email: string;
  readonly token: string;
}

export const languageHeader = (acceptLanguage: string | undefined): { readonly 'Accept-Language'?: string } =>
  acceptLanguage === undefined ? {} : { 'Accept-Language': acceptLanguage };

/** A body of any type: the types of the OpenAPI document do not have the custom properties of a client. */
export const membersOf = (body: object) => ({ ...body });

/** A user to change. With `ifMatch`, the `etag` of an earlier result, a user that has changed since is `stale_user`. */
export interface AdministeredReference {
  readonly email: string;
  readonly ifMatch?: string;
}

import type { FaultCode } from '../../../application/fault.ts';
import type { FailureCode } from '../../../domain/failure.ts';

interface ProblemText {
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const problem = (status: number, title: string, text: ProblemText) => ({ status, title, ...text });
type Problem = ReturnType<typeof problem>;

/** Details about tokens of other mails than those that verify an address. */
export const detailsAboutTokens = {
  token_mismatch: 'The token is not the one that was sent last, was used already, or none is outstanding.',
  token_expired: 'The token is older than the service accepts. Request a new one.',
  too_many_attempts: 'Too many wrong tokens were sent for this address. Retry-After says when to try again.',
  resend_too_soon:
    'A token was issued to this user a short time ago. Retry-After gives the seconds until the next one.',
} as const;

/** Details about mails to a new address, which updates send where it has to be confirmed. */
export const detailsAboutMoves = {
  resend_too_soon:
    'A mail was sent to this user a short time ago. Retry-After gives the seconds until a new address is accepted.',
} as const;

/** Details about invitations. */
export const detailsAboutInvitations = {
  resend_too_soon: 'The user was invited a short time ago. Retry-After gives the seconds until the next invitation.',
} as const;

/** Details about the creation of users, which is counted for each client. */
export const detailsAboutCreation = {
  too_many_attempts: 'Too many users were created from this address. Retry-After says when to try again.',
} as const;

/**
 * Maps each code to its status (docs/api.md, “Codes”) and fixed texts. Codes that neither a use case nor a Fault has
 * are refusals of the HTTP layer.
 */
export const problems = {
  invalid_json: problem(400, 'Invalid JSON', { detail: 'The body is not a JSON object that can be kept exactly.' }),
  invalid_body: problem(400, 'Invalid body', { detail: 'Some fields of the body are missing or malformed.' }),
  invalid_properties: problem(400, 'Invalid custom properties', {
    detail: 'Some custom properties break the configured rules.',
  }),
  unsuitable_address: problem(400, 'Unsuitable address', {
    detail:
      'The new address is not in the spelling in which mails are sent to it, with its domain in ASCII. The errors say what to write.',
  }),
  domain_not_allowed: problem(400, 'Domain not allowed', {
    detail: 'The rules of the service do not let addresses at this domain sign up.',
  }),
  unsuitable_password: problem(400, 'Unsuitable password', {
    detail:
      'The configured algorithm cannot tell this password from every other one (bcrypt reads 72 bytes of UTF-8, and no NUL), or the password header cannot carry it; then the errors say why.',
  }),
  weak_password: problem(400, 'Weak password', {
    detail: 'The password breaks the rules of the service. The errors say which.',
  }),
  user_too_large: problem(400, 'User too large', { detail: 'A user is at most 350 KiB of compact JSON.' }),
  invalid_parameter: problem(400, 'Invalid parameter', {
    detail: 'A query parameter or header is missing, repeated or malformed. A plus sign in a query is written %2B.',
  }),
  token_mismatch: problem(400, 'Token does not match', {
    detail: 'The verification token is not the one that was sent last, or none is outstanding.',
  }),
  token_expired: problem(400, 'Token expired', {
    detail: 'The verification token is older than the service accepts. A new verification mail brings a new one.',
  }),
  malformed_request: problem(400, 'Malformed request', {
    detail: 'The request is not valid HTTP, or its target or Host is malformed.',
  }),
  client_unauthorized: problem(401, 'Client not authorized', {
    detail: 'The Authorization header is missing or not accepted.',
  }),
  // A 401 needs a challenge (RFC 9110, section 11.6.1); browsers do not know this scheme and ask for nothing.
  wrong_password: problem(401, 'Wrong password', {
    detail: 'The password does not match the user.',
    headers: { 'WWW-Authenticate': 'Password realm="user"' },
  }),
  cross_site: problem(403, 'Cross-site request', {
    detail: 'A page of another site made the browser send this request. Send it from a page of this site.',
  }),
  not_permitted: problem(403, 'Not permitted', {
    detail:
      'The key or token of the client does not have the permission that this request needs, or may not use the properties that the errors name.',
  }),
  user_disabled: problem(403, 'User disabled', {
    detail: 'An administrator has disabled this user. Retry-After says when that ends, if it ends by itself.',
  }),
  password_change_required: problem(403, 'Password change required', {
    detail: 'The user must set a new password first. An update with another password than the current one does.',
  }),
  route_not_found: problem(404, 'Not found', {
    detail: 'The service has no resource at this path. Paths are case-sensitive.',
  }),
  user_not_found: problem(404, 'User not found', { detail: 'No user has this email address.' }),
  mail_not_found: problem(404, 'Mail not found', {
    detail: 'No mail with this id waits to be sent. It may have been sent meanwhile.',
  }),
  method_not_allowed: problem(405, 'Method not allowed', {
    detail: 'This path does not answer this method; the Allow header lists those it does.',
  }),
  request_timeout: problem(408, 'Request timeout', { detail: 'The request did not arrive in time.' }),
  user_exists: problem(409, 'User exists', { detail: 'A user with this email address exists already.' }),
  id_taken: problem(409, 'Id taken', { detail: 'A user with this id exists already, under another address.' }),
  id_immutable: problem(409, 'Id cannot change', { detail: 'The user has another id, and an id never changes.' }),
  property_taken: problem(409, 'Property taken', {
    detail: 'Another user has the value of a unique property, which the errors name.',
  }),
  mailbox_taken: problem(409, 'Mailbox taken', {
    detail: 'A user exists already with another spelling of this address, which names the same mailbox.',
  }),
  address_taken: problem(409, 'Address taken', { detail: 'A user with the new email address exists already.' }),
  conflict: problem(409, 'Conflict', {
    detail: 'Others kept changing the user at the same time. Read it again and retry.',
  }),
  not_invited: problem(409, 'Not invited', {
    detail: 'The user was not created by an invitation, or has chosen a password meanwhile.',
  }),
  mail_in_delivery: problem(409, 'Mail in delivery', {
    detail: 'The mail may be on its way to the mail provider just now. Retry-After says when to try again.',
  }),
  stale_user: problem(412, 'User changed', {
    detail:
      'The user no longer has the version that If-Match names. Read it again, and repeat the change on the new version.',
  }),
  body_too_large: problem(413, 'Body too large', {
    detail: 'A body is at most 1 MiB, also when it is sent compressed.',
  }),
  unsupported_media_type: problem(415, 'Unsupported media type', {
    detail: 'The body must be application/json in UTF-8; a PATCH may also be application/merge-patch+json.',
  }),
  unsupported_encoding: problem(415, 'Unsupported content encoding', {
    detail: 'The body may be sent as it is, or encoded with gzip, deflate or br.',
  }),
  misdirected_request: problem(421, 'Misdirected request', {
    detail:
      'The admin port does not accept the name in the Host header. The option server.adminHosts lists those that it accepts.',
  }),
  too_many_attempts: problem(429, 'Too many attempts', {
    detail:
      'Too many wrong passwords or keys were given for this user, or from this address. Retry-After says when to try again.',
  }),
  resend_too_soon: problem(429, 'Too soon', {
    detail:
      'A verification mail was requested for this user a short time ago. Retry-After gives the seconds until the next one.',
  }),
  headers_too_large: problem(431, 'Headers too large', {
    detail: 'There are at most 200 headers, of 16 KiB with the request line.',
  }),
  mail_failed: problem(500, 'Mail not sent', { detail: 'The verification email could not be sent. Try again later.' }),
  store_rejected: problem(500, 'Database error', { detail: 'The database rejected the request.' }),
  secret_unknown: problem(500, 'Internal error', { detail: 'The service failed to answer.' }),
  internal_error: problem(500, 'Internal error', { detail: 'The service failed to answer.' }),
  users_not_listed: problem(501, 'Users not listed', {
    detail: 'The configured database has no way to list its users.',
  }),
  users_not_sorted: problem(501, 'Users not sorted', {
    detail: 'The configured database lists its users in its own order only.',
  }),
  unsupported_transfer_coding: problem(501, 'Unsupported transfer coding', {
    detail: 'The only transfer coding is chunked. To compress a body, use Content-Encoding.',
  }),
  contended: problem(503, 'Busy', {
    detail: 'Others kept changing the user at the same time. Try again.',
    headers: { 'Retry-After': '1' },
  }),
  store_unavailable: problem(503, 'Database unavailable', {
    detail: 'The database cannot be reached, or does not respond. Try again later.',
  }),
  overloaded: problem(503, 'Overloaded', { detail: 'The service has too much to do at once. Try again later.' }),
  timed_out: problem(503, 'Timed out', {
    detail: 'The operation took longer than the operation timeout. It may have been applied.',
  }),
  keys_unavailable: problem(503, 'Signing keys unavailable', {
    detail:
      'The token cannot be verified, because the signing keys of its issuer could not be fetched. Try again later.',
  }),
  secrets_unavailable: problem(503, 'Unavailable', { detail: 'The service cannot answer just now. Try again later.' }),
} satisfies Readonly<Record<FailureCode | FaultCode, Problem>> & Readonly<Record<string, Problem>>;

/** The codes of problem documents. They are stable, because clients act on them. */
export type ProblemCode = keyof typeof problems;

/** Codes with which any route can refuse. */
export const commonCodes = ['malformed_request', 'internal_error'] as const satisfies readonly ProblemCode[];
export type CommonCode = (typeof commonCodes)[number];

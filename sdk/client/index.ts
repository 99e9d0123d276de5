/** A typed client of Latchkey, for Node.js 22.22 or newer, browsers, and other runtimes with `fetch`. */
export {
  type AddedUser,
  createAdminClient,
  type Disablement,
  type LatchkeyAdminClient,
  type ListedMails,
  type ListedUsers,
} from './admin-client.ts';
export type {
  AdminOutcome,
  AdminProblem,
  AdminRefused,
  AttemptCount,
  AttemptsOutcome,
  Erasure,
  ErasureOutcome,
  ExportedUser,
  ExportOutcome,
  ListOutcome,
  MailListOutcome,
  MailOutcome,
  MailPage,
  Person,
  PersonOutcome,
  QueuedMail,
  UserPage,
} from './admin-outcome.ts';
export { createClient, type LatchkeyClient } from './client.ts';
export type { ApplicationKey, BearerToken, Credentials } from './credentials.ts';
export {
  type CheckOutcome,
  type IssuedToken,
  type Outcome,
  type Problem,
  type ProblemCode,
  type RecoveryOutcome,
  type Refused,
  type SignUpOutcome,
  UnexpectedResponse,
} from './outcome.ts';
export type {
  ChangeReference,
  ChangeToken,
  MailReference,
  PasswordReference,
  ReadReference,
  RecoveryConfirmation,
  RecoveryRequest,
  UserKey,
  UserReference,
} from './references.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type {
  AdministeredUser,
  AnyProperties,
  NewUser,
  PropertiesPatch,
  RevisedUser,
  User,
  UserPatch,
} from './users.ts';

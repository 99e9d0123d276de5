/** A typed client of Latchkey, for Node.js 22.22 or newer, browsers, and other runtimes with `fetch`. */
export {
  type AdminClientOptions,
  type AdministeredReference,
  type AdministeredUser,
  type AdminOutcome,
  type AdminProblem,
  type AdminRefused,
  type AttemptCount,
  type AttemptsOutcome,
  createAdminClient,
  type Disablement,
  type LatchkeyAdminClient,
  type ListedUsers,
  type ListOutcome,
  type UserPage,
} from './admin-client.ts';
export {
  type ChangeReference,
  type ChangeToken,
  type ClientOptions,
  createClient,
  type LatchkeyClient,
  type MailReference,
  type NewUser,
  type ReadReference,
  type RecoveryConfirmation,
  type RevisedUser,
  type UserPatch,
  type UserReference,
} from './client.ts';
export type { ApplicationKey, BearerToken, Credentials } from './credentials.ts';
export {
  type CheckOutcome,
  type IssuedToken,
  type Outcome,
  type Problem,
  type ProblemCode,
  type RecoveryOutcome,
  type Refused,
  UnexpectedResponse,
  type User,
} from './outcome.ts';
export type { CallOptions } from './transport.ts';

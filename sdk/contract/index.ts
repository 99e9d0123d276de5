/**
 * The suites that every adapter of a port passes, published as `latchkey/contract`. Call them like `describe` of Mocha.
 * `latchkey/contract/http` tests the whole service over an adapter.
 */

export { attemptCounterContract, type OpenedAttempts } from './attempt-counter.ts';
export { eventOutboxContract } from './event-outbox.ts';
export { type MailerContractOptions, mailerContract, type OpenedMailer } from './mailer.ts';
export type { OpenedStore } from './opened-store.ts';
export { passwordHashContract } from './password-hash.ts';
export type { ReceivedMail } from './received-mail.ts';
export { type OpenedSecrets, secretsContract } from './secrets.ts';
export type { SimulatedFailure, SimulatedFailures } from './simulated-failures.ts';
export { userListingContract } from './user-listing.ts';
export { userSearchContract } from './user-search.ts';
export { type StoreContractOptions, userStoreContract } from './user-store.ts';

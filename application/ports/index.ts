/**
 * What an adapter in a package of its own is made of, published as `latchkey/ports`: the ports, the words in which they
 * speak of users, the Fault that they throw, and the codecs of options.
 */
export { EmailAddress, type EmailKey, keyOf } from '../../domain/email-address.ts';
export { asProperties, CustomProperties, noProperties } from '../../domain/properties.ts';
export type { Email, User } from '../../domain/user.ts';
export { Fault, type FaultCode } from '../fault.ts';
export {
  type Block,
  block,
  type Codec,
  choice,
  duration,
  flag,
  list,
  type Option,
  optional,
  quantity,
  required,
  such,
  text,
  type Values,
  wholeNumber,
  withDefault,
} from '../options.ts';
export { senderAddress } from '../sender-address.ts';
export { webAddress } from '../web-address.ts';
export { within } from '../within.ts';
export type { AdapterDefinition, Log, Tools } from './adapter.ts';
export { type ClaimedEvent, EventQueue, type Lease, type QueuedEvent } from './event-queue.ts';
export { type Attempt, type AttemptLimits, FailedAttempts, type Standing } from './failed-attempts.ts';
export { type KeyRange, keyRange, type Listing, mostExamined, pageOf, type UserPage } from './listing.ts';
export { type Mail, Mailer } from './mailer.ts';
export { type AdapterModule, defineModule, type PortName } from './module.ts';
export { PasswordHash, type Recognition } from './password-hash.ts';
export { Secrets } from './secrets.ts';
export { type ListingStore, lists, type StoredUser, UserStore } from './user-store.ts';

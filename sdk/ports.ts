/** Public API for adapters, published as `latchkey/ports`: ports, user types, Fault, option codecs. */

export { senderAddress, webAddress } from '../adapters/kit/address-codecs.ts';
export {
  type AdapterContext,
  type AdapterDefinition,
  type AdapterModule,
  defineModule,
  MissingDatabase,
  type PortName,
} from '../adapters/kit/definition.ts';
export {
  type Block,
  block,
  type DefaultedOption,
  type Option,
  optional,
  type RequiredOption,
  required,
  type Values,
  withDefault,
} from '../adapters/kit/option-block.ts';
export {
  type Codec,
  choice,
  type Decoded,
  duration,
  flag,
  list,
  quantity,
  type Refusal,
  refine,
  text,
  wholeNumber,
} from '../adapters/kit/option-codecs.ts';
export { assembleUser, CustomProperties } from '../adapters/kit/user-json/stored-user.ts';
export { asProperties, noProperties } from '../adapters/kit/user-json/user-writer.ts';
export { Fault, type FaultCode, type MailRefusal } from '../application/fault.ts';
export { withTimeout } from '../application/interceptor.ts';
export {
  type Attempt,
  AttemptCounter,
  type AttemptLimits,
  type AttemptStatus,
  type OpenAttemptCounter,
} from '../application/ports/attempt-counter.ts';
export type { Clock } from '../application/ports/clock.ts';
export {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type QueuedEvent,
  type WaitingEvent,
  type WaitingEvents,
} from '../application/ports/event-outbox.ts';
export type { Log } from '../application/ports/log.ts';
export { type Mail, Mailer } from '../application/ports/mailer.ts';
export { type HashStatus, PasswordHash } from '../application/ports/password-hash.ts';
export { Secrets } from '../application/ports/secrets.ts';
export {
  escapeCharacter,
  everyUser,
  hasProperty,
  type KeyRange,
  keyRange,
  type Listing,
  maxExaminedUsers,
  type PropertyValue,
  pageOf,
  propertyTexts,
  typeOfValue,
  type UserFilter,
  UserListing,
  type UserPage,
} from '../application/ports/user-listing.ts';
export {
  type OrderedListing,
  type OrderedPosition,
  type UserOrder,
  UserSearch,
} from '../application/ports/user-search.ts';
export {
  isTaken,
  type Reservation,
  reservationMs,
  type StoredUser,
  type StorePorts,
  type Taken,
  UserNames,
  UserStore,
  type WriteOptions,
} from '../application/ports/user-store.ts';
export { EmailAddress, type EmailKey, keyOf } from '../domain/email-address.ts';
export type { Email, User } from '../domain/user.ts';
export { fieldOf, type UserField, userFields } from '../domain/user-fields.ts';
export { isUserName, type UserKey, type UserName } from '../domain/user-name.ts';

import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { type DomainEvents, noEvents } from '../../application/outgoing/domain-events.ts';
import type { MailQueue } from '../../application/outgoing/mail-queue.ts';
import { type AttemptThrottle, unlimited } from '../../application/passwords/authorizer.ts';
import { type NewPasswordRules, withoutRules } from '../../application/passwords/password-update.ts';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';
import { type Mails, withoutMails } from '../service/mail-texts.ts';

/** What use cases get from features. Each does nothing where its feature is not configured. */
export interface Collaborators {
  readonly events: DomainEvents;
  readonly throttle: AttemptThrottle;
  readonly passwordRules: NewPasswordRules;
  /** The texts of mails, and the choice of their language. */
  readonly mails: Mails;
  /** Undefined where no mails are queued. */
  readonly mailQueue?: MailQueue;
  /** The counts of wrong passwords, and of wrong tokens; undefined where they are not counted. */
  readonly attempts?: AttemptCounter;
  readonly tokenAttempts?: AttemptCounter;
  /** Undefined in a process that delivers nothing. */
  readonly delivery?: DeliverySignal;
}

export const noCollaborators: Collaborators = {
  events: noEvents,
  throttle: unlimited,
  passwordRules: withoutRules,
  mails: withoutMails,
};

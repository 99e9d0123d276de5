import { Fault } from '../../application/fault.ts';
import type { DeliverySignal } from '../../application/outgoing/delivery-signal.ts';
import { type DomainEvents, noEvents } from '../../application/outgoing/domain-events.ts';
import type { LocaleChoice, MailQueue, MailTexts } from '../../application/outgoing/mail-queue.ts';
import { type AttemptThrottle, unlimited } from '../../application/passwords/authorizer.ts';
import { type NewPasswordRules, withoutRules } from '../../application/passwords/password-update.ts';
import type { AttemptCounter } from '../../application/ports/attempt-counter.ts';

/** What the use cases need for mails. */
export interface Mails {
  readonly texts: MailTexts;
  readonly localeOf: LocaleChoice;
}

/** Used where no mails are sent. */
export const withoutMails: Mails = {
  texts: {
    compose: () => {
      throw new Fault('mail_failed', 'email is disabled in the configuration');
    },
  },
  localeOf: () => 'en',
};

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

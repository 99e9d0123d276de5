import type { User } from '../../domain/user.ts';
import { isAddressChanged, isPasswordChanged } from '../../domain/user-changes.ts';
import { isDisabled } from '../../domain/user-state.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueuedEvent } from '../ports/event-outbox.ts';
import type { DeletionReason } from './domain-events.ts';
import type { LocaleChoice, MailQueue, NoticeKind, NoticeTopic } from './mail-queue.ts';

/** What events and notices say of a change that the user before and after it does not tell. */
export interface Circumstances {
  /** Whether a recovery replaces the password. */
  readonly isRecovery?: boolean;
  /** Why the service removes the user; undefined if the user or an administrator does. */
  readonly reason?: DeletionReason | undefined;
}

/** Deletions without a notice: the address may be that of a stranger, or nothing about the person is to be left. */
const silentReasons: readonly (DeletionReason | undefined)[] = ['unverified', 'erasure'];

/** Tells users of changes that another person may have made, at the address from before the change. */
export class Notices {
  constructor(
    private readonly topics: readonly NoticeTopic[],
    private readonly queue: MailQueue,
    private readonly localeOf: LocaleChoice,
    private readonly clock: Clock,
  ) {}

  /** The mail of a change, which is stored with it: at most one, about the most serious of what it changes. */
  of(previous: User, next: User | 'removed', circumstances: Circumstances): readonly QueuedEvent[] {
    const kind = this.kindOf(previous, next, circumstances);
    if (kind === undefined) return [];
    const { id: userId, email } = previous;
    // The language of the user alone, because another person may have made the request.
    const locale = this.localeOf(previous, []);
    return [this.queue.prepare({ kind, to: email.address, userId, locale, secret: '', expires: null })];
  }

  private kindOf(
    previous: User,
    next: User | 'removed',
    { isRecovery = false, reason }: Circumstances,
  ): NoticeKind | undefined {
    if (next === 'removed')
      return this.topics.includes('state') && !silentReasons.includes(reason) ? 'deletedNotice' : undefined;
    const now = this.clock.now();
    const [wasDisabled, disabled] = [isDisabled(previous, now), isDisabled(next, now)];
    const hasNewPassword = isPasswordChanged(previous, next);
    const changes: readonly (readonly [NoticeTopic, NoticeKind, boolean])[] = [
      ['address', 'addressNotice', isAddressChanged(previous, next)],
      ['recovery', 'recoveryNotice', hasNewPassword && isRecovery],
      ['password', 'passwordNotice', hasNewPassword],
      ['state', 'disabledNotice', disabled && !wasDisabled],
      ['state', 'enabledNotice', wasDisabled && !disabled],
    ];
    return changes.find(([topic, , applies]) => applies && this.topics.includes(topic))?.[1];
  }
}

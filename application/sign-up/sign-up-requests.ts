import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { EmailAddress } from '../../domain/email-address.ts';
import type { CustomProperties } from '../../domain/user.ts';
import { UserId } from '../../domain/user-id.ts';
import type { CommandBus } from '../bus.ts';
import { contended, DelayedRequests, unreadable } from '../outgoing/delayed-requests.ts';
import type { DeliveryResult } from '../ports/delivery-target.ts';
import type { ClaimedEvent } from '../ports/event-outbox.ts';
import type { Log } from '../ports/log.ts';
import { noticeLifetimeMs } from './complete-sign-up.ts';
import { type StoredSignUp, signUpDestination } from './request-sign-up.ts';

const storedSignUp = t.intersection([
  t.type({
    address: EmailAddress,
    hash: t.string,
    properties: t.string,
    languages: t.readonlyArray(t.string),
    requestedTime: t.number,
  }),
  t.partial({ id: UserId }),
]);

/** Answers stored sign-ups, each by CompleteSignUp. */
export class SignUpRequests extends DelayedRequests {
  readonly destination = signUpDestination;
  readonly host = 'sign-up';

  constructor(
    private readonly commands: CommandBus,
    timeoutMs: number,
    log: Log,
    /** Takes the text of custom properties, which was one before it was stored. */
    private readonly asProperties: (text: string) => CustomProperties,
  ) {
    super(['quiet sign-ups', 'a quiet sign-up'], timeoutMs, noticeLifetimeMs, log);
  }

  protected async answer(event: ClaimedEvent): Promise<DeliveryResult> {
    const signUp = this.signUpIn(event);
    if (signUp === undefined) return unreadable;
    const completed = await this.commands.dispatch({ type: 'CompleteSignUp', ...signUp });
    return isLeft(completed) ? contended : { outcome: 'delivered' };
  }

  private signUpIn({ body }: ClaimedEvent): StoredSignUp | undefined {
    try {
      const decoded = storedSignUp.decode(JSON.parse(body));
      return isRight(decoded)
        ? { ...decoded.right, properties: this.asProperties(decoded.right.properties) }
        : undefined;
    } catch {
      return undefined;
    }
  }
}

import { randomDelay } from '../interceptor.ts';
import { claimEvent, findEvent } from '../outgoing/single-events.ts';
import type { Clock } from '../ports/clock.ts';
import { type EventOutbox, leaseMarginMs, type WaitingEvent } from '../ports/event-outbox.ts';

/** The longest wait for the answer to a request, in milliseconds: most take some. */
const maxAnswerMs = 2_000;
const maxDelayMs = 20;

/**
 * Removes a request that waits. If a process answers it at the moment, it is removed afterwards, so that the caller finds
 * what was stored for it; but not later than after two seconds, because one that is repeated after a failure looks the same.
 */
export const removeAnswered = async (outbox: EventOutbox, clock: Clock, request: WaitingEvent): Promise<void> => {
  const endMs = performance.now() + maxAnswerMs;
  let waiting: WaitingEvent | undefined = request;
  while (waiting !== undefined && performance.now() < endMs) {
    const now = clock.now();
    const isAnswered = waiting.attempts > 0 && waiting.due > now;
    const claimed = isAnswered ? undefined : await claimEvent(outbox, waiting, Math.ceil(now) + leaseMarginMs);
    if (claimed !== undefined) return outbox.done(claimed);
    await randomDelay(maxDelayMs);
    waiting = await findEvent(outbox, request.destination, request.id);
  }
  if (waiting !== undefined) await outbox.done(waiting);
};

import { randomDelay } from '../interceptor.ts';
import type { Clock } from '../ports/clock.ts';
import { type ClaimedEvent, type EventOutbox, leaseMarginMs, type WaitingEvent } from '../ports/event-outbox.ts';

const pageSize = 500;

/** The events that wait for a destination, which are read page by page. */
export async function* waitingEvents(
  outbox: Pick<EventOutbox, 'list'>,
  destination: string,
): AsyncGenerator<WaitingEvent> {
  for (let after: string | undefined; ; ) {
    const { events, next } = await outbox.list(destination, pageSize, after);
    yield* events;
    if (next === undefined) return;
    after = next;
  }
}

/** The event of a destination that waits under an id; undefined if there is none any more. */
export const findEvent = async (
  outbox: Pick<EventOutbox, 'list'>,
  destination: string,
  id: string,
): Promise<WaitingEvent | undefined> => {
  for await (const event of waitingEvents(outbox, destination)) if (event.id === id) return event;
  return undefined;
};

/** A time before all others, at which only events are due that a call of `claimEvent` has postponed to it. */
export const beforeAll = 0;
/** At least the number of calls of `claimEvent` that run at once. */
const mostAtOnce = 20;

/**
 * Claims one event until a time, in milliseconds since the epoch, so that no process delivers it meanwhile; undefined if a
 * process was faster. An outbox claims what is due: the event becomes due before every other, and the time of the claim is
 * before every other, too. Should this process end in between, the event is delivered.
 */
export const claimEvent = async (
  outbox: Pick<EventOutbox, 'postpone' | 'claim'>,
  event: WaitingEvent,
  until: number,
): Promise<ClaimedEvent | undefined> => {
  await outbox.postpone(event, beforeAll);
  const claimed = await outbox.claim(event.destination, mostAtOnce, { now: beforeAll, until });
  // Those of concurrent calls.
  for (const other of claimed.filter(({ id }) => id !== event.id)) await outbox.postpone(other, beforeAll);
  return claimed.find(({ id }) => id === event.id);
};

/** The longest wait for the answer to a request, in milliseconds. Most requests are answered within a few. */
const maxAnswerMs = 2_000;
const maxDelayMs = 20;

/**
 * Removes a request that waits. If a process is answering it, it is removed afterwards, so that the caller finds what
 * was stored for it, but after two seconds at the latest: a request that is repeated after a failure cannot be told apart.
 */
export const removeAnswered = async (
  outbox: Pick<EventOutbox, 'list' | 'postpone' | 'claim' | 'done'>,
  clock: Clock,
  request: WaitingEvent,
): Promise<void> => {
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

import { inMemoryAttempts } from '../../../../adapters/stores/rate-limited-attempts.ts';
import type { Attempt, AttemptCounter, AttemptLimits } from '../../../../application/ports/attempt-counter.ts';
import type { OpenedAttempts } from '../../../../sdk/contract/attempt-counter.ts';
import { altered } from './altered-port.ts';

type Open = (limits: AttemptLimits) => Promise<OpenedAttempts>;

/** A mistake in a counter, and the title of the test that finds it. */
export type AttemptMistake = readonly [foundBy: string, mistake: (open: Open) => Open];

const withLimits =
  (change: (limits: AttemptLimits) => Partial<AttemptLimits>) =>
  (open: Open): Open =>
  (limits) =>
    open({ ...limits, ...change(limits) });

/** Replaces methods of both counters. */
const withMethods =
  (methodsOf: (counter: AttemptCounter, limits: AttemptLimits) => Partial<AttemptCounter>) =>
  (open: Open): Open =>
  async (limits) => {
    const opened = await open(limits);
    const [one, other] = [opened.one, opened.other].map((counter) => altered(counter, methodsOf(counter, limits)));
    return { ...opened, one: one ?? opened.one, other: other ?? opened.other };
  };

/** Stores a text for each attempt, in addition. */
const storing =
  (textOf: (attempt: Attempt) => string) =>
  (open: Open): Open => {
    const texts: string[] = [];
    const recording = withMethods((counter) => ({
      recordFailure: (attempt) => {
        texts.push(textOf(attempt));
        return counter.recordFailure(attempt);
      },
    }));
    return async (limits) => {
      const opened = await recording(open)(limits);
      return { ...opened, stored: async () => `${await opened.stored?.()} ${texts.join()}` };
    };
  };

const renew = async (counter: AttemptCounter, attempt: Attempt, failures: number): Promise<void> => {
  await counter.reset(attempt.user);
  for (let n = 0; n < failures; n++) await counter.recordFailure(attempt);
};

/** Counts client addresses as users of another counter, with other limits. */
const withClients =
  (
    change: (limits: AttemptLimits) => Partial<AttemptLimits>,
    recording: (clients: AttemptCounter, limits: AttemptLimits) => AttemptCounter['recordFailure'] = (clients) =>
      (attempt) =>
        clients.recordFailure(attempt),
  ) =>
  (open: Open): Open =>
  async (limits) => {
    const opened = await open({ ...limits, clientFailures: 0 });
    const clients = inMemoryAttempts({ ...limits, failures: limits.clientFailures, ...change(limits) });
    const record = recording(clients, limits);
    const alter = (counter: AttemptCounter): AttemptCounter =>
      altered(counter, {
        status: async (attempt) => {
          const status = await counter.status(attempt);
          if (attempt.client === undefined) return status;
          const { blockedForMs } = await clients.status({ user: attempt.client, client: undefined });
          return { ...status, blockedForMs: Math.max(status.blockedForMs, blockedForMs) };
        },
        recordFailure: async (attempt) => {
          await counter.recordFailure(attempt);
          if (attempt.client !== undefined) await record({ user: attempt.client, client: undefined });
        },
      });
    return { ...opened, one: alter(opened.one), other: alter(opened.other) };
  };

const ofStored = 'stores neither users nor client addresses in plain text';

export const attemptMistakes: Readonly<Record<string, AttemptMistake>> = {
  'counts of one process': [
    'for every instance, and no other user',
    (open) => async (limits) => ({ ...(await open(limits)), other: inMemoryAttempts(limits) }),
  ],
  'a block by the failure after the limit': [
    'blocks with the first failure if the limit is one',
    withLimits(({ failures }) => ({ failures: failures + 1 })),
  ],
  'a block that lasts too long': [
    'counts down the rest of a block',
    withLimits(({ blockMs }) => ({ blockMs: blockMs * 1_000 })),
  ],
  'a block that is extended by failures': [
    'does not extend a block by failures during it',
    withMethods((counter, { failures }) => ({
      recordFailure: async (attempt) => {
        if ((await counter.status(attempt)).blockedForMs > 0) await renew(counter, attempt, failures);
        else await counter.recordFailure(attempt);
      },
    })),
  ],
  'a rest of a block that does not fall': [
    'does not extend a block by failures during it',
    withMethods((counter, { blockMs }) => ({
      status: async (attempt) => {
        const status = await counter.status(attempt);
        return status.blockedForMs > 0 ? { ...status, blockedForMs: blockMs } : status;
      },
    })),
  ],
  'a window that is extended by failures': [
    'does not extend the window by failures during it',
    withMethods((counter) => ({
      recordFailure: async (attempt) => renew(counter, attempt, (await counter.status(attempt)).failures + 1),
    })),
  ],
  'a window without an end': [
    'forgets failures after the window',
    withLimits(({ windowMs }) => ({ windowMs: windowMs * 1_000 })),
  ],
  'the times of users for client addresses': [
    'for another time than a user',
    (open) =>
      ({ ofClients: _, ...limits }) =>
        open(limits),
  ],
  'counts that are read, then written': [
    'loses none of many concurrent failures',
    (open) => {
      const writing = new Set<string>();
      return withMethods((counter) => ({
        recordFailure: async (attempt) => {
          if (writing.has(attempt.user)) return;
          writing.add(attempt.user);
          await counter.recordFailure(attempt);
          writing.delete(attempt.user);
        },
      }))(open);
    },
  ],
  'concurrent failures of a client address that are counted as one': [
    'loses none of many concurrent failures of a client address',
    (open) => {
      const writing = new Set<string>();
      return withMethods((counter) => ({
        recordFailure: async (attempt) => {
          const { user, client } = attempt;
          if (client === undefined || writing.has(client)) return counter.recordFailure({ user, client: undefined });
          writing.add(client);
          await counter.recordFailure(attempt);
          writing.delete(client);
        },
      }))(open);
    },
  ],
  'failures of a client address that are counted without an end': [
    'forgets failures of a client address after the window',
    withClients(({ windowMs }) => ({ windowMs: windowMs * 1_000 })),
  ],
  'a block of a client address that is extended by failures': [
    'does not extend a block of a client address',
    withClients(
      () => ({}),
      (clients, { clientFailures }) =>
        async (attempt) => {
          if ((await clients.status(attempt)).blockedForMs > 0) await renew(clients, attempt, clientFailures);
          else await clients.recordFailure(attempt);
        },
    ),
  ],
  'a block that ends with the window': [
    'blocks for longer than the window',
    withLimits(({ blockMs, windowMs }) => ({ blockMs: Math.min(blockMs, windowMs) })),
  ],
  'a reset that leaves the block': [
    'unblocks a user with a reset',
    withMethods((counter) => ({
      reset: async (user) => {
        if ((await counter.status({ user, client: undefined })).blockedForMs === 0) await counter.reset(user);
      },
    })),
  ],
  'one count for all kinds of attempts': [
    'counts attempts of another kind by themselves',
    withMethods((counter) => {
      const withoutKind = (user: string) => user.slice(user.indexOf(':') + 1);
      return {
        status: (attempt) => counter.status({ ...attempt, user: withoutKind(attempt.user) }),
        recordFailure: (attempt) => counter.recordFailure({ ...attempt, user: withoutKind(attempt.user) }),
        reset: (user) => counter.reset(withoutKind(user)),
      };
    }),
  ],
  'a reset without an effect': ['resets the failures of a user', withMethods(() => ({ reset: async () => {} }))],
  'no counts of client addresses': [
    'blocks a client address after failures for several users',
    withLimits(() => ({ clientFailures: 0 })),
  ],
  'counts of client addresses that are switched off': [
    'counts no client addresses with clientFailures: 0',
    withLimits(({ clientFailures }) => ({ clientFailures: clientFailures || 5 })),
  ],
  'one count for all users of a client address': [
    'resets the failures of a user',
    withMethods((counter) => ({
      status: (attempt) => counter.status({ ...attempt, user: attempt.client ?? attempt.user }),
      recordFailure: (attempt) => counter.recordFailure({ ...attempt, user: attempt.client ?? attempt.user }),
    })),
  ],
  'users in plain text': [ofStored, storing(({ user }) => `user:${user}`)],
  'client addresses in plain text': [ofStored, storing(({ client }) => `client:${client}`)],
  'users in Base64': [ofStored, storing(({ user }) => Buffer.from(user).toString('base64'))],
};

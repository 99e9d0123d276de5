import { memory } from '../../../../../adapters/stores/memory/index.ts';
import type { AttemptLimits } from '../../../../../application/ports/attempt-counter.ts';
import type { Clock } from '../../../../../application/ports/clock.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { counterOf, countsByClock } from '../../../../support/attempt-counters.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';

const open = async () => {
  const store = await memory.open({}, silentContext);
  return { store, dispose: () => store.users.close() };
};

userStoreContract('memory', open);
userListingContract('memory', open);
userSearchContract('memory', open);
eventOutboxContract('memory', open);
const openAttempts = async (clock: Clock, limits: AttemptLimits) => {
  const store = await memory.open({}, { ...silentContext, clock });
  const counter = await counterOf(store, limits);
  return { one: counter, other: counter, dispose: () => counter.close() };
};
attemptCounterContract('memory', async (limits) => {
  const clock = new ManualClock(0);
  return { ...(await openAttempts(clock, limits)), advance: (ms) => clock.advance(ms) };
});
countsByClock('memory', openAttempts);

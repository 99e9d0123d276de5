import { memory } from '../../../../../adapters/stores/memory/index.ts';
import { inMemoryAttempts } from '../../../../../adapters/stores/rate-limited-attempts.ts';
import { attemptCounterContract } from '../../../../../sdk/contract/attempt-counter.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';

const open = async () => {
  const store = await memory.open({}, silentContext);
  return { store, dispose: () => store.users.close() };
};

userStoreContract('memory', open);
userListingContract('memory', open);
userSearchContract('memory', open);
eventOutboxContract('memory', open);
attemptCounterContract('memory', async (limits) => {
  const counter = inMemoryAttempts(limits);
  return { one: counter, other: counter, dispose: () => counter.close() };
});

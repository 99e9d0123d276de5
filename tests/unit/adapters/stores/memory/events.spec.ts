import { memory } from '../../../../../adapters/stores/memory/index.ts';
import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { silentContext } from '../../../../support/doubles/silent-tools.ts';

eventOutboxContract('memory', async () => {
  const store = await memory.open({}, silentContext);
  return { store, dispose: () => store.users.close() };
});

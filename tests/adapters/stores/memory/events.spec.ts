import { memory } from '../../../../adapters/stores/memory/index.ts';
import { eventQueueContract } from '../../../contract/event-queue.ts';
import { silentTools } from '../../../doubles/silent-tools.ts';

eventQueueContract('memory', async () => {
  const store = await memory.open({}, silentTools);
  return { store, dispose: () => store.close() };
});

import { eventQueueContract } from '../../../contract/event-queue.ts';
import { engine } from '../../../engines/index.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('MongoDB, with events', () => {
  const uri = engine('mongodb');

  eventQueueContract('mongodb', async () => {
    const database = new ScratchDatabase(uri());
    return { store: await database.open(), dispose: () => database.dispose() };
  });
});

import { eventQueueContract } from '../../../contract/event-queue.ts';
import { TemporaryDatabase } from './temporary-database.ts';

eventQueueContract('sqlite', async () => {
  const database = await TemporaryDatabase.create();
  return { store: await database.open(), dispose: () => database.dispose() };
});

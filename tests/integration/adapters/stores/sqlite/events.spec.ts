import { eventOutboxContract } from '../../../../../sdk/contract/event-queue.ts';
import { TemporaryDatabase } from './temporary-database.ts';

eventOutboxContract('sqlite', async () => {
  const database = await TemporaryDatabase.create();
  return { store: await database.openPorts(), dispose: () => database.dispose() };
});

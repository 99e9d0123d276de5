import { userStoreContract } from '../../../contract/user-store.ts';
import { TemporaryDatabase } from './temporary-database.ts';

userStoreContract('sqlite', async () => {
  const database = await TemporaryDatabase.create();
  return { store: await database.open(), dispose: () => database.dispose() };
});

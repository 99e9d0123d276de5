import { memory } from '../../../../adapters/stores/memory/index.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { mailRaces } from '../../../support/mail-races.ts';
import { TemporaryDatabase } from '../stores/sqlite/temporary-database.ts';

mailRaces('memory', async () => {
  const store = await memory.open({}, silentContext);
  return { store, dispose: () => store.users.close() };
});

mailRaces('sqlite', async () => {
  const database = await TemporaryDatabase.create();
  const reopen = () => database.openPorts();
  return { store: await reopen(), reopen, dispose: () => database.dispose() };
});

// Writes users into the database of its argument until it is killed, and reports acknowledged writes to its parent.
import { sqlite } from '../../../adapters/stores/sqlite/index.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { find, silent } from '../../integration/adapters/stores/sqlite/temporary-database.ts';

const { users: store } = await sqlite.open({ path: process.argv[2]! }, { log: silent, operationTimeoutMs: 30_000 });
let count = 0;

const write = async (): Promise<never> => {
  for (;;) {
    const n = count++;
    const user = userOf(`old-${n}@example.com`);
    await store.insert(user);
    process.send?.(['inserted', n]);
    const stored = await find(store, user.email.address);
    await store.replace(stored!, { ...user, email: { ...user.email, address: addressOf(`new-${n}@example.com`) } });
    process.send?.(['moved', n]);
  }
};

process.once('disconnect', () => process.exit(1));
for (let writers = 0; writers < 20; writers++) void write();

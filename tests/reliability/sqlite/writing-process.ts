// Writes users with names into the database of its argument until it is killed, and reports acknowledged writes to its parent.
import { sqlite } from '../../../adapters/stores/sqlite/index.ts';
import { isTaken } from '../../../application/ports/user-store.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { nameOf } from '../../../sdk/contract/named-users.ts';
import { silent } from '../../integration/adapters/stores/sqlite/temporary-database.ts';

const { users: store } = await sqlite.open({ path: process.argv[2]! }, { log: silent, operationTimeoutMs: 30_000 });
let count = 0;

const write = async (): Promise<never> => {
  for (;;) {
    const n = count++;
    const user = userOf(`old-${n}@example.com`);
    const first = await store.insert(user, { names: [nameOf(`first ${n}`), nameOf(`${n}`)] });
    process.send?.(['inserted', n]);
    if (isTaken(first)) throw new Error('no other user has the names');
    const next = { ...user, email: { ...user.email, address: addressOf(`new-${n}@example.com`) } };
    await store.replace(first, next, { names: [nameOf(`${n}`), nameOf(`last ${n}`)] });
    process.send?.(['moved', n]);
    const brief = await store.insert(userOf(`brief-${n}@example.com`), { names: [nameOf(`first ${n}`)] });
    if (!isTaken(brief)) await store.remove(brief);
  }
};

process.once('disconnect', () => process.exit(1));
for (let writers = 0; writers < 20; writers++) void write();

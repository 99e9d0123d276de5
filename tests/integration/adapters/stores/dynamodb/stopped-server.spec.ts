import { expect } from 'chai';
import { keyOf } from '../../../../../domain/email-address.ts';
import { userOf } from '../../../../support/arbitraries.ts';
import { type PrivateEngine, privateEngine } from '../../../../support/engines/index.ts';
import { eventually, recovered } from '../../../../support/eventually.ts';
import { FreshTable, withCredentials } from './fresh-table.ts';
import { ada, isUnavailable } from './unavailable.ts';

const operationTimeoutMs = 1_200;

describe('the store while the server of DynamoDB is in trouble', () => {
  // With its tables in files, which outlive a stop.
  const onDisk = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-dbPath', '/home/dynamodblocal'];
  const server = privateEngine('dynamodb', { adjust: (container) => container.withCommand(onDisk) });
  withCredentials();
  let table: FreshTable;
  before(async () => {
    table = await FreshTable.create(server().endpoint);
  });
  after(() => table?.dispose());

  type Change = (it: PrivateEngine) => Promise<void>;
  const troubles: Readonly<Record<string, readonly [Change, Change, RegExp]>> = {
    'is stopped': [(it) => it.stop(), (it) => it.start(), /: unreachable \(ECONNREFUSED\)$/],
    'is frozen': [(it) => it.pause(), (it) => it.resume(), /: no answer in time$/],
  };
  for (const [what, [harm, heal, reason]] of Object.entries(troubles)) {
    it(`is unavailable while it ${what}, also to who comes then, and recovers within 5 seconds`, async function () {
      this.timeout(30_000);
      const store = await table.open({ operationTimeoutMs });
      await store.insert(ada);
      await harm(server());
      const shell = await table.open({ operationTimeoutMs });
      try {
        for (const one of [store, shell]) await isUnavailable(one, operationTimeoutMs, reason);
      } finally {
        await heal(server());
      }
      // The store is given its 5 seconds from when the server answers again, which takes a stopped one a while.
      await eventually(() => fetch(server().endpoint), 15_000);
      await Promise.all([recovered(store), recovered(shell)]);
      // A user of its own: this DynamoDB may have lost what it acknowledged a moment before it was stopped.
      const alan = userOf('alan@example.com');
      expect(await shell.insert(alan)).to.equal('inserted');
      const found = await store.find(keyOf(alan.email.address));
      expect(found?.user).to.deep.equal(alan);
      if (found !== undefined) expect(await shell.remove(found)).to.equal('removed');
    });
  }
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { keyOf } from '../../../../../domain/email-address.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { written } from '../../../../../sdk/contract/outcomes.ts';
import { type PrivateEngine, privateEngine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { eventually, recovered } from '../../../../support/eventually.ts';
import { expectUnavailable } from './expect-unavailable.ts';
import { FreshTable } from './fresh-table.ts';

const operationTimeoutMs = 1_200;

describe('the store while the DynamoDB server is stopped or frozen', () => {
  // Its tables are files, so that they survive a stop.
  const onDisk = ['-jar', 'DynamoDBLocal.jar', '-sharedDb', '-dbPath', '/home/dynamodblocal'];
  const server = privateEngine('dynamodb', { adjust: (container) => container.withCommand(onDisk) });
  withAwsCredentials();
  let table: FreshTable;
  before(async () => {
    table = await FreshTable.create(server().endpoint);
  });
  after(() => table?.dispose());

  type Change = (it: PrivateEngine) => Promise<void>;
  const outages: Readonly<Record<string, readonly [Change, Change, RegExp]>> = {
    'is stopped': [(it) => it.stop(), (it) => it.start(), /: unreachable \(ECONNREFUSED\)$/],
    'is frozen': [(it) => it.pause(), (it) => it.resume(), /: no response in time$/],
  };
  for (const [what, [begin, end, reason]] of Object.entries(outages)) {
    it(`is unavailable while it ${what}, also if opened then, and recovers within 5 seconds`, async function () {
      this.timeout(60_000);
      const store = await table.open({ operationTimeoutMs });
      await eventually(() => store.check(), 15_000);
      await begin(server());
      const openedDuringOutage = await table.open({ operationTimeoutMs });
      try {
        for (const one of [store, openedDuringOutage]) await expectUnavailable(one, operationTimeoutMs, reason);
      } finally {
        await end(server());
      }
      // The 5 seconds start when the server answers again, which takes a stopped server some seconds.
      await eventually(() => fetch(server().endpoint), 15_000);
      await Promise.all([recovered(store), recovered(openedDuringOutage)]);
      await eventually(async () => {
        // Another user each time: the first write after a start may take longer than an operation, and be made all the same.
        const stored = written(await openedDuringOutage.insert(userOf(`${randomUUID()}@example.com`)));
        expect(await store.find(keyOf(stored.user.email.address))).to.deep.equal(stored);
        expect(await openedDuringOutage.remove(stored)).to.equal('removed');
      }, 15_000);
    });
  }
});

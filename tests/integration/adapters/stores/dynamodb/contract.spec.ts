import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { SimulatedNetwork } from '../../../../support/simulated-network.ts';
import { FreshTable } from './fresh-table.ts';

describe('the store on DynamoDB', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();

  const open = async () => {
    const table = await FreshTable.create(endpoint());
    return { store: await table.openPorts(), reopen: () => table.openPorts(), dispose: () => table.dispose() };
  };

  const network = new SimulatedNetwork();
  const openOverNetwork = async () => {
    const table = await (await FreshTable.create(endpoint())).createForEvents();
    await table.createForCounts();
    const { hostname, port } = new URL(endpoint());
    const proxy = await network.connect(hostname, Number(port));
    const { operationTimeoutMs } = network.failures;
    const store = await table.openPorts({ endpoint: `http://${proxy.host}:${proxy.port}`, operationTimeoutMs });
    return { store, reopen: () => table.openPorts(), dispose: () => network.disconnect().then(() => table.dispose()) };
  };

  userStoreContract('dynamodb', openOverNetwork, { failures: network.failures });
  userListingContract('dynamodb', open);
});

import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { engine } from '../../../../support/engines/index.ts';
import { connectionStringOf } from '../../../../support/engines/replica-set.ts';
import { SimulatedNetwork } from '../../../../support/simulated-network.ts';
import { ScratchDatabase } from './scratch-database.ts';

describe('MongoDB', () => {
  const uri = engine('mongodb');
  const network = new SimulatedNetwork();

  const open = async () => {
    const database = new ScratchDatabase(uri(), true);
    const reopen = () => database.openPorts();
    return { store: await reopen(), reopen, dispose: () => database.dispose() };
  };

  const openOverNetwork = async () => {
    const database = new ScratchDatabase(uri(), true);
    const { hostname, port } = new URL(uri());
    const proxy = await network.connect(hostname, Number(port));
    const connectionString = connectionStringOf(proxy.host, proxy.port);
    const store = await database.openPorts(connectionString, network.failures.operationTimeoutMs);
    return {
      store,
      reopen: () => database.openPorts(),
      dispose: () => network.disconnect().then(() => database.dispose()),
    };
  };

  userStoreContract('mongodb', openOverNetwork, { failures: network.failures });
  userListingContract('mongodb', open);
  userSearchContract('mongodb', open);
});

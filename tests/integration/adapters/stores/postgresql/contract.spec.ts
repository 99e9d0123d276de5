import { eventOutboxContract } from '../../../../../sdk/contract/event-outbox.ts';
import { userListingContract } from '../../../../../sdk/contract/user-listing.ts';
import { userSearchContract } from '../../../../../sdk/contract/user-search.ts';
import { userStoreContract } from '../../../../../sdk/contract/user-store.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { SimulatedNetwork } from '../../../../support/simulated-network.ts';
import { ScratchSchema } from './scratch-schema.ts';

const suite = (isPooled: boolean): void => {
  const url = postgresqlUrl(isPooled);
  const network = new SimulatedNetwork();

  const open = async () => {
    const scratch = await ScratchSchema.create(url());
    return { store: await scratch.open(), reopen: () => scratch.open(), dispose: () => scratch.dispose() };
  };

  const openOverNetwork = async () => {
    const scratch = await ScratchSchema.create(url());
    const { hostname, port } = new URL(url());
    const proxy = await network.connect(hostname, Number(port));
    const connectionString = Object.assign(new URL(url()), { host: `${proxy.host}:${proxy.port}` }).href;
    const { operationTimeoutMs } = network.failures;
    return {
      store: await scratch.open({ connectionString }, { operationTimeoutMs }),
      reopen: () => scratch.open(),
      dispose: () => network.disconnect().then(() => scratch.dispose()),
    };
  };

  userStoreContract('postgresql', openOverNetwork, { failures: network.failures });
  userListingContract('postgresql', open);
  userSearchContract('postgresql', open);
  eventOutboxContract('postgresql', open);
};

describe('PostgreSQL', () => suite(false));

describe('PostgreSQL behind PgBouncer in transaction mode', () => suite(true));

import { expect } from 'chai';
import type { UserStore } from '../../../../../application/ports/user-store.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { engine } from '../../../../support/engines/index.ts';
import { Environment, withAwsCredentials } from '../../../../support/environment.ts';
import { recovered } from '../../../../support/eventually.ts';
import { TcpProxy } from '../../../../support/fault-proxy.ts';
import { ada, expectUnavailable, key } from './expect-unavailable.ts';
import { FreshTable } from './fresh-table.ts';
import { HttpFaultProxy, noResponse, partialResponse } from './http-fault-proxy.ts';

describe('the store while DynamoDB cannot be reached', () => {
  const endpoint = engine('dynamodb');
  withAwsCredentials();
  let table: FreshTable;
  let proxy: TcpProxy;
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => {
    unhandled.push(error);
  };
  before(() => process.on('unhandledRejection', note));
  after(() => process.off('unhandledRejection', note));
  beforeEach(async () => {
    table = await FreshTable.create(endpoint());
    const { hostname, port } = new URL(endpoint());
    proxy = await TcpProxy.to(hostname, Number(port));
  });
  afterEach(async () => {
    await table.dispose();
    await proxy.close();
    expect(unhandled).to.deep.equal([]);
  });

  const open = (operationTimeoutMs: number): Promise<UserStore> =>
    table.open({ endpoint: `http://${proxy.host}:${proxy.port}`, operationTimeoutMs });

  it('opens while connections are refused, throws store_unavailable, and recovers', async () => {
    await proxy.refuse();
    const store = await open(30_000);
    await expectUnavailable(store, 5000);
    await proxy.restore();
    await recovered(store);
    expect(await store.insert(ada)).to.have.property('version');
  });

  it('recovers from every loss of its connections', async () => {
    const store = await open(30_000);
    await store.insert(ada);
    for (let loss = 0; loss < 20; loss++) {
      if (loss % 2 === 0) await proxy.refuse();
      else proxy.reset();
      expect(await rejection(store.find(key))).to.include({ code: 'store_unavailable' });
      await proxy.restore();
      expect((await store.find(key))?.user).to.deep.equal(ada);
    }
  });

  it('fails before the operation timeout when the network drops every request', async () => {
    const store = await open(1000);
    await store.check();
    proxy.silence();
    await expectUnavailable(store, 1000);
    await proxy.restore();
    await recovered(store);
  });

  it('ignores a response that arrives after the timeout', async () => {
    const store = await open(1000);
    proxy.delay(1200);
    await expectUnavailable(store, 1000);
    // Long enough for the late responses to arrive.
    await new Promise((resolve) => setTimeout(resolve, 400));
    await proxy.restore();
    await recovered(store);
  });

  it('fails before the operation timeout when the credentials endpoint does not respond', async () => {
    const environment = new Environment();
    const source = await HttpFaultProxy.start(endpoint());
    try {
      environment.set('AWS_ACCESS_KEY_ID', undefined);
      environment.set('AWS_SECRET_ACCESS_KEY', undefined);
      environment.set('AWS_CONFIG_FILE', '/nowhere/config');
      environment.set('AWS_SHARED_CREDENTIALS_FILE', '/nowhere/credentials');
      environment.set('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${source.endpoint}/credentials`);
      source.every(noResponse);
      await expectUnavailable(await open(1000), 1000);
    } finally {
      environment.restore();
      await source.close();
    }
  });

  it('gives up one attempt after 3 seconds, whether the response is missing or incomplete', async () => {
    const [silent, stalled] = await Promise.all([HttpFaultProxy.start(endpoint()), HttpFaultProxy.start(endpoint())]);
    try {
      silent.next([noResponse]);
      stalled.next([partialResponse]);
      const start = performance.now();
      const finds = [silent, stalled].map(async (proxy) => {
        const found = await (await table.open({ endpoint: proxy.endpoint })).find(key);
        expect(found).to.equal(undefined);
        expect(proxy.seen).to.have.length(2);
        expect(performance.now() - start).to.be.within(2900, 6000);
      });
      await Promise.all(finds);
    } finally {
      await silent.close();
      await stalled.close();
    }
  });
});

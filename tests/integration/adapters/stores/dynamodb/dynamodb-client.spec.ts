import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import {
  callQueue,
  maxConcurrentCalls,
  openClient,
  retryStrategy,
} from '../../../../../adapters/stores/dynamodb/dynamodb-client.ts';
import { Table } from '../../../../../adapters/stores/dynamodb/table.ts';
import { userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { withAwsCredentials } from '../../../../support/environment.ts';
import { eventually } from '../../../../support/eventually.ts';
import { lostReply, reset } from './http-fault-proxy.ts';
import { useStoreFixture } from './store-fixture.ts';

describe('attempts of the DynamoDB client', () => {
  const fixture = useStoreFixture();

  it('are not used up by an outage: a write whose reply is lost afterwards succeeds', async () => {
    const { proxy, store } = fixture();
    proxy.every(reset);
    const calls = Array.from({ length: 40 }, () => store.insert(userOf('ada@example.com')));
    for (const fault of await Promise.all(calls.map(rejection)))
      expect(fault).to.include({ code: 'store_unavailable' });
    expect(proxy.seen, 'three attempts each').to.have.length(120);
    proxy.every(undefined);
    proxy.next([lostReply()]);
    expect(await store.insert(userOf('ada@example.com'))).to.have.property('version');
  });

  it('suffice for every write when all connections break at once', async () => {
    const { proxy, store } = fixture();
    const count = maxConcurrentCalls;
    const users = Array.from({ length: count }, (_, index) => userOf(`user-${index}@example.com`));
    let stored = 0;
    let allStored = (): void => undefined;
    const breaking = new Promise<void>((resolve) => {
      allStored = resolve;
    });
    const fault = lostReply(() => {
      stored += 1;
      if (stored === count) allStored();
      return breaking;
    });
    proxy.next(Array.from({ length: count }, () => fault));
    const outcomes = await Promise.all(users.map((user) => store.insert(user)));
    expect(outcomes).to.not.include('taken');
  });
});

describe('the retries of DynamoDB', () => {
  const transient = { errorType: 'TRANSIENT' } as const;

  it('are as many as there may be attempts after the first', async () => {
    const retries = retryStrategy(3, 1_000, () => 0);
    const first = await retries.acquireInitialRetryToken('');
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    const third = await retries.refreshRetryTokenForRetry(second, transient);
    expect(third.getRetryCount()).to.equal(2);
    expect(await rejection(retries.refreshRetryTokenForRetry(third, transient))).to.be.an('error');
  });

  it('end with the timeout of the call', async () => {
    let time = 5_000;
    const retries = retryStrategy(3, 1_000, () => time);
    const first = await retries.acquireInitialRetryToken('');
    time += 999;
    const second = await retries.refreshRetryTokenForRetry(first, transient);
    time += 1;
    expect(await rejection(retries.refreshRetryTokenForRetry(second, transient))).to.be.an('error');
  });
});

describe('connections to DynamoDB after a burst', () => {
  withAwsCredentials();

  it('are closed once they were not used for the idle timeout', async () => {
    const server = createServer((_, response) =>
      setTimeout(() => response.setHeader('x-amzn-RequestId', 'R').end('{}'), 50),
    );
    const sockets = new Set<Socket>();
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    // The server itself would close them only after a minute.
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const client = openClient(
      { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1' },
      5_000,
      silentContext.log,
      200,
    );
    try {
      const get = () => client.send(new GetItemCommand({ TableName: 'users', Key: { email: { S: 'a' } } }));
      await Promise.all(Array.from({ length: 20 }, get));
      expect(sockets.size).to.equal(20);
      await eventually(async () => expect(sockets.size).to.equal(0), 10_000);
      await get();
    } finally {
      client.destroy();
      server.close();
    }
  });
});

describe('the calls of DynamoDB', () => {
  const endpoint = { endpoint: 'http://127.0.0.1:1', region: 'eu-central-1' };
  const never = () => new Promise<never>(() => undefined);

  it('are not started after their caller has given up', async () => {
    const client = openClient(endpoint, 50, silentContext.log);
    const names = { tableName: 'users', eventsTableName: 'users-events', place: 'users' };
    const options = { ...names, createTable: false, timeoutMs: 50, calls: callQueue(1) };
    const table = new Table(client, options, silentContext.log);
    const started: string[] = [];
    let end = (): void => undefined;
    const slow = table.call(() => new Promise<void>((resolve) => (end = resolve)));
    const abandoned = table.call(async () => started.push('abandoned'));
    for (const call of [slow, abandoned]) expect(await rejection(call)).to.include({ code: 'store_unavailable' });
    end();
    await table.call(async () => started.push('next'));
    expect(started).to.deep.equal(['next']);
    table.close();
  });

  it('are refused when they waited too long, also while the database does not answer', async function () {
    this.timeout(10_000);
    const queue = callQueue(1);
    void queue.run(never);
    expect(await rejection(queue.run(never))).to.include({ code: 'store_unavailable' });
  });
});

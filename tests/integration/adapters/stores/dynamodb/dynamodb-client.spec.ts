import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { expect } from 'chai';
import {
  CallQueue,
  maxConcurrentCalls,
  openClient,
  retryStrategy,
} from '../../../../../adapters/stores/dynamodb/dynamodb-client.ts';
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
    const server = createServer((_, response) => setTimeout(() => response.end('{}'), 50));
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
  const { signal } = new AbortController();

  /** Calls that end when they are told to, and their names once they are started. */
  const startCalls = (
    queue: CallQueue,
    names: readonly string[],
    signals: Readonly<Record<string, AbortSignal>> = {},
  ) => {
    const started: string[] = [];
    const ends = new Map<string, () => void>();
    const results = names.map((name) =>
      queue.run(signals[name] ?? signal, () => {
        started.push(name);
        return new Promise<void>((end) => ends.set(name, end));
      }),
    );
    const end = async (name: string): Promise<void> => {
      ends.get(name)?.();
      await results[names.indexOf(name)];
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { started, results, end };
  };

  it('run a few at once, and the others in the order of their arrival', async () => {
    const { started, end } = startCalls(new CallQueue(2), ['a', 'b', 'c', 'd']);
    expect(started).to.deep.equal(['a', 'b']);
    await end('b');
    expect(started).to.deep.equal(['a', 'b', 'c']);
    await end('a');
    expect(started).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('are not started after their caller has given up', async () => {
    const caller = new AbortController();
    const { started, results, end } = startCalls(new CallQueue(1), ['a', 'b', 'c'], { b: caller.signal });
    const abandoned = rejection(results[1]!);
    caller.abort();
    await end('a');
    expect(await abandoned).to.include({ name: 'AbortError' });
    expect(started).to.deep.equal(['a', 'c']);
  });

  it('leave their place to the next one when they fail', async () => {
    const queue = new CallQueue(1);
    const failed = queue.run(signal, () => Promise.reject(new Error('broken')));
    const next = queue.run(signal, async () => 'done');
    expect(await rejection(failed)).to.include({ message: 'broken' });
    expect(await next).to.equal('done');
  });

  it('are refused when they waited too long, also while the database does not answer', async function () {
    this.timeout(10_000);
    const queue = new CallQueue(1);
    const { results } = startCalls(queue, ['a', 'b']);
    expect(await rejection(results[1]!)).to.include({ code: 'store_unavailable' });
  });
});

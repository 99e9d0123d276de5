import { expect } from 'chai';
import { Fault, type FaultCode } from '../../../application/fault.ts';
import type { StoredUser, Taken } from '../../../application/ports/user-store.ts';
import { InMemoryUserStore } from '../in-memory-user-store.ts';
import { newAddress, newPassword, type Sent } from './client.ts';
import type { Harness } from './harness.ts';

// Its second line looks like the frame of a stack.
const detail = 'the connection string is\n    at mongodb://a secret of an operator@db';

/** A request to each endpoint that uses the store. */
const endpoints = (address: string, password: string): readonly (readonly [string, string, Sent])[] => {
  const query = { email: address };
  return [
    ['POST', '/users', { body: { email: { address }, password } }],
    ['PUT', '/users', { body: { email: { address } }, password }],
    ['PATCH', '/users', { query, body: { name: 'Jane' }, password }],
    ['GET', '/users', { query, password }],
    ['DELETE', '/users', { query, password }],
    ['POST', '/verify', { query, password }],
    ['GET', '/verify', { query: { ...query, token: 'a token of nobody' } }],
    ['POST', '/verify/reset', { query, password }],
  ];
};

const ofStore = (harness: Harness): void => {
  const refusals = { store_rejected: '500 store_rejected', store_unavailable: '503 store_unavailable' } as const;
  const codes: readonly (keyof typeof refusals)[] = ['store_rejected', 'store_unavailable'];

  for (const code of codes) {
    for (const [method, path, sent] of endpoints(newAddress(), newPassword())) {
      it(`${refusals[code]}: ${method} ${path}, with a fixed text, and a log line`, async () => {
        const store = new InMemoryUserStore();
        const { client, log } = await harness.serviceOn(store.ports);
        store.fault = new Fault(code, 'the store refused', { cause: new Error(detail) });
        const response = await client.send(method, path, sent);
        expect(response.refusal).to.equal(refusals[code]);
        expect(response.text).to.not.include('the store refused').and.not.include('secret');
        const line = (await log()).find((entry) => entry.startsWith('the store refused'));
        expect(line).to.include(code).and.not.include('mongodb');
      });
    }
  }

  it('responds to a browser that opens a link with a page: 500 and 503', async () => {
    const store = new InMemoryUserStore();
    const { client } = await harness.serviceOn(store.ports);
    const query = { email: newAddress(), token: 'a', response_type: 'html' };
    for (const [code, status, words] of [
      ['store_unavailable', 503, 'Please try again in a moment'],
      ['store_rejected', 500, 'Something went wrong'],
    ] as const) {
      store.fault = new Fault(code, 'the store refused');
      const response = await client.get('/verify', { query });
      expect(response.status).to.equal(status);
      expect(response.text).to.include(words);
      const head = await client.send('HEAD', '/verify', { query });
      expect(head.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    }
  });

  it('sends Retry-After if the fault has a delay', async () => {
    const store = new InMemoryUserStore();
    const { client } = await harness.serviceOn(store.ports);
    const code: FaultCode = 'overloaded';
    store.fault = new Fault(code, 'too much to do', { retryAfterSeconds: 7 });
    const response = await client.get('/users', { query: { email: newAddress() }, password: 'any' });
    expect(response.refusal).to.equal('503 overloaded');
    expect(response.headers.get('retry-after')).to.equal('7');
  });

  it('500 for an unexpected error; neither the response nor the log contains its text', async () => {
    class BrokenStore extends InMemoryUserStore {
      override async find(): Promise<StoredUser | undefined> {
        throw new TypeError(detail);
      }
    }
    const { client, log } = await harness.serviceOn(new BrokenStore().ports);
    const response = await client.get('/users', { query: { email: newAddress() }, password: 'any' });
    expect(response.refusal).to.equal('500 internal_error');
    expect(response.text).to.not.include('secret');
    expect((await log()).join('\n'))
      .to.include('TypeError')
      .and.not.include('mongodb');
  });

  it('recovers with the store', async () => {
    const store = new InMemoryUserStore();
    const { client, adminUrl } = await harness.serviceOn(store.ports);
    store.fault = new Fault('store_unavailable', 'down');
    expect((await fetch(`${adminUrl}/readyz`)).status).to.equal(503);
    store.fault = undefined;
    expect((await fetch(`${adminUrl}/readyz`)).status).to.equal(200);
    await client.read(await client.create());
  });

  it('409 for PUT and PATCH, and 503 with Retry-After for other methods while concurrent requests keep changing the user', async () => {
    class ContendedStore extends InMemoryUserStore {
      override async replace(): Promise<'stale'> {
        return 'stale';
      }
      override async remove(): Promise<'stale'> {
        return 'stale';
      }
    }
    const { client } = await harness.serviceOn(new ContendedStore().ports);
    const { address, password } = await client.create();
    for (const [method, path, sent] of endpoints(address, password)) {
      if (method === 'PUT' || method === 'PATCH') {
        expect((await client.send(method, path, sent)).refusal).to.equal('409 conflict');
      } else if (method === 'DELETE' || `${method} ${path}` === 'POST /verify') {
        const response = await client.send(method, path, sent);
        expect(response.refusal).to.equal('503 contended');
        expect(response.headers.get('retry-after')).to.equal('1');
      }
    }
  });
};

const timeouts = (harness: Harness): void => {
  /** A store whose calls wait until they are released. */
  class WaitingStore extends InMemoryUserStore {
    private resolveReleased = (): void => {};
    private readonly released = new Promise<void>((resolve) => {
      this.resolveReleased = resolve;
    });

    release(): void {
      this.resolveReleased();
    }

    override async insert(...insert: Parameters<InMemoryUserStore['insert']>): Promise<StoredUser | Taken> {
      await this.released;
      return super.insert(...insert);
    }

    override async find(key: Parameters<InMemoryUserStore['find']>[0]): Promise<StoredUser | undefined> {
      await this.released;
      return super.find(key);
    }
  }

  for (const [method, path, sent] of endpoints(newAddress(), newPassword())) {
    it(`503 timed_out after the operation timeout: ${method} ${path}`, async () => {
      const { client } = await harness.serviceOn(new WaitingStore().ports, { operationTimeout: '30ms' });
      expect((await client.send(method, path, sent)).refusal).to.equal('503 timed_out');
    });
  }

  it('responds once, and a late write may have been applied', async () => {
    const store = new WaitingStore();
    const { client } = await harness.serviceOn(store.ports, { options: { operationTimeout: '30ms' } });
    const account = { address: newAddress(), password: newPassword() };
    const body = { email: { address: account.address }, password: account.password };
    expect((await client.post('/users', { body })).refusal).to.equal('503 timed_out');
    store.release();
    await client.read(account);
  });

  it('applies no late write after a settled read', async () => {
    /** A store whose first insert arrives late. */
    class LateStore extends InMemoryUserStore {
      private arrive = (): void => {};
      private readonly arrival = new Promise<void>((resolve) => {
        this.arrive = resolve;
      });
      private late: Promise<StoredUser | Taken> | undefined;

      override insert(...insert: Parameters<InMemoryUserStore['insert']>): Promise<StoredUser | Taken> {
        if (this.late !== undefined) return super.insert(...insert);
        this.late = this.arrival.then(() => super.insert(...insert));
        return this.late;
      }

      arrives(): Promise<StoredUser | Taken> | undefined {
        this.arrive();
        return this.late;
      }
    }
    const store = new LateStore();
    const { client } = await harness.serviceOn(store.ports, { operationTimeout: '200ms' });
    const [address, password] = [newAddress(), newPassword()];
    const body = { email: { address }, password };
    expect((await client.post('/users', { body })).refusal).to.equal('503 timed_out');
    const read = { query: { email: address }, password };
    const settled = await client.get('/users', { ...read, headers: { Prefer: 'settled' } });
    expect(settled.refusal).to.equal('404 user_not_found');
    expect(await store.arrives()).to.have.property('taken');
    expect((await client.get('/users', read)).refusal).to.equal('404 user_not_found');
  });
};

/** Responses while the store refuses, fails or is slow (docs/api.md, "Errors"). */
export const faults = (harness: Harness): void => {
  // These tests need a store in the same process.
  const within = harness.takesStores ? describe : describe.skip;
  within('errors of the store', () => ofStore(harness));
  within('the operation timeout', () => timeouts(harness));
};

import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { stringify } from 'yaml';
import {
  type ClaimedEvent,
  EventOutbox,
  type Lease,
  type WaitingEvents,
} from '../../../application/ports/event-outbox.ts';
import { readConfiguration } from '../../../bootstrap/configuration/configuration-file.ts';
import type { Configuration } from '../../../bootstrap/configuration/index.ts';
import { startService } from '../../../bootstrap/service.ts';
import { rejection } from '../../../sdk/contract/outcomes.ts';
import { silentContext } from '../../support/doubles/silent-context.ts';
import { eventually } from '../../support/eventually.ts';
import { startTcpServer, type TestServer } from '../../support/tcp-servers.ts';

/** The files of a folder that this process has open. */
const openFiles = (folder: string): readonly string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path.slice(folder.length + 1)] : [];
    } catch {
      return [];
    }
  });

/** An outbox in which events are always due, and others always expired. Counts the calls. */
class InexhaustibleOutbox extends EventOutbox {
  claims = 0;
  expiries = 0;

  async claim(destination: string, limit: number, { now }: Lease): Promise<readonly ClaimedEvent[]> {
    this.claims++;
    await nextTurn();
    return Array.from({ length: limit }, (_, index) => {
      const id = `${this.claims}-${index}`;
      return { id, destination, time: now, body: '{}', attempts: 1, receipt: id };
    });
  }

  async expire(): Promise<ReadonlyMap<string, number>> {
    this.expiries++;
    await nextTurn();
    return new Map([['removed', 1]]);
  }

  async add(): Promise<void> {}
  async list(): Promise<WaitingEvents> {
    return { events: [], next: undefined };
  }
  async destinations(): Promise<readonly string[]> {
    return [];
  }
  async done(): Promise<void> {}
  async postpone(): Promise<void> {}
  async pending(): Promise<number> {
    return 0;
  }
}

/** A webhook that accepts every event. */
const startReceiver = (): Promise<TestServer> =>
  startTcpServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
  });

describe('a service that cannot start', () => {
  let folder: string;
  let other: TestServer;
  /** The connections to the issuer of signing keys, which never answers. */
  let fetching = 0;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-service-'));
    other = await startTcpServer((socket) => {
      fetching++;
      socket.resume().once('close', () => fetching--);
    });
  });
  afterEach(async () => {
    await other.close();
    await rm(folder, { recursive: true });
  });

  /** A configuration with everything that stays open while the service runs. */
  const configured = async (
    ports: { port: number; adminPort: number },
    webhookUrl = 'http://127.0.0.1:1/',
  ): Promise<Configuration> => {
    const file = join(folder, 'latchkey.yaml');
    const document = {
      server: { host: '127.0.0.1', ...ports },
      database: { type: 'sqlite', path: join(folder, 'users.db') },
      email: { type: 'outbox', directory: folder },
      auth: { type: 'oauth', issuer: 'us', jwksUrl: `http://127.0.0.1:${other.port}/keys` },
      passwordHash: { algorithm: 'sha256', serverSideHash: true, rehash: true, cache: {} },
      throttle: {},
      audit: { file: join(folder, 'audit.jsonl') },
      events: { webhooks: [{ url: webhookUrl, secret: `whsec_${Buffer.alloc(32).toString('base64')}` }] },
    };
    await writeFile(file, stringify(document));
    return (await readConfiguration(file, silentContext.log)).configuration;
  };

  const expectNothingOpen = (): Promise<void> =>
    eventually(async () => {
      expect([openFiles(folder), fetching]).to.deep.equal([[], 0]);
    }, 2_000);

  for (const taken of ['port', 'adminPort'] as const)
    it(`closes everything that it has opened if server.${taken} is taken`, async () => {
      const configuration = await configured({ port: 0, adminPort: 0, [taken]: other.port });
      expect(await rejection(startService(configuration, silentContext.log))).to.include({ code: 'EADDRINUSE' });
      await expectNothingOpen();
    });

  it('no longer delivers or expires events if server.adminPort is taken', async () => {
    const receiver = await startReceiver();
    try {
      const webhookUrl = `http://127.0.0.1:${receiver.port}/`;
      const configuration = await configured({ port: 0, adminPort: other.port }, webhookUrl);
      const events = new InexhaustibleOutbox();
      const open: Configuration['database']['open'] = async (context) => ({
        ...(await configuration.database.open(context)),
        events,
      });
      const database = { ...configuration.database, open };
      const failure = await rejection(startService({ ...configuration, database }, silentContext.log));
      expect(failure).to.include({ code: 'EADDRINUSE' });
      const { claims, expiries } = events;
      expect(Math.min(claims, expiries)).to.be.greaterThan(0);
      // A delivery that goes on claims the next events within a few requests.
      for (let request = 0; request < 50; request++) await fetch(webhookUrl, { method: 'POST', body: '{}' });
      expect([events.claims, events.expiries]).to.deep.equal([claims, expiries]);
    } finally {
      await receiver.close();
    }
  });

  it('closes everything that it has opened if a part cannot be opened', async () => {
    const configuration = await configured({ port: 0, adminPort: 0 });
    const open: Configuration['database']['open'] = async (context) => {
      const { events: _, ...store } = await configuration.database.open(context);
      return store;
    };
    const database = { ...configuration.database, open };
    const failure = await rejection(startService({ ...configuration, database }, silentContext.log));
    expect(failure).to.have.property('message').that.includes('cannot store events');
    await expectNothingOpen();
  });

  it('refuses ids and unique properties in a database without names, and closes everything', async () => {
    const configuration = await configured({ port: 0, adminPort: 0 });
    const open: Configuration['database']['open'] = async (context) => {
      const { names: _, ...store } = await configuration.database.open(context);
      return store;
    };
    const database = { ...configuration.database, open };
    const username = { name: 'username', type: 'string', unique: true, fold: 'username' } as const;
    const properties = { allowSubset: true, allowSuperset: true, allowed: [username] };
    for (const [blocks, path] of [
      [{ users: { ...configuration.users, ids: true } }, 'users.ids'],
      [{ properties }, 'properties.allowed'],
    ] as const) {
      const failure = await rejection(startService({ ...configuration, ...blocks, database }, silentContext.log));
      expect(failure)
        .to.have.property('message')
        .that.includes(`${path}: the database of type ${database.type} can store neither ids nor unique properties`);
      await expectNothingOpen();
    }
    const service = await startService({ ...configuration, database }, silentContext.log);
    await service.stop();
  });

  it('closes the adapters that it has opened if another one cannot be opened', async () => {
    const configuration = await configured({ port: 0, adminPort: 0 });
    const store = configuration.database.open({
      ...silentContext,
      operationTimeoutMs: configuration.operationTimeoutMs,
    });
    const database = { ...configuration.database, open: () => store };
    const open = () => store.then(() => Promise.reject(new TypeError('cannot be opened')));
    const passwordHash = { ...configuration.passwordHash, open };
    const failure = await rejection(startService({ ...configuration, database, passwordHash }, silentContext.log));
    expect(failure).to.be.instanceOf(TypeError);
    await expectNothingOpen();
  });
});

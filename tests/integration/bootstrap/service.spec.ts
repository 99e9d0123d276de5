import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type Configuration, readConfiguration } from '../../../bootstrap/configuration/index.ts';
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
  const configured = async (ports: { port: number; adminPort: number }): Promise<Configuration> => {
    const file = join(folder, 'latchkey.yaml');
    const document = {
      server: { host: '127.0.0.1', ...ports },
      database: { type: 'sqlite', path: join(folder, 'users.db') },
      email: { type: 'outbox', directory: folder },
      auth: { type: 'oauth', issuer: 'us', jwksUrl: `http://127.0.0.1:${other.port}/keys` },
      passwordHash: { algorithm: 'sha256', serverSideHash: true, rehash: true, cache: {} },
      throttle: {},
      audit: { file: join(folder, 'audit.jsonl') },
      events: { webhooks: [{ url: 'http://127.0.0.1:1/', secret: `whsec_${Buffer.alloc(32).toString('base64')}` }] },
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

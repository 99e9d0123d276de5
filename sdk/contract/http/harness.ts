import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { StorePorts } from '../../../application/ports/user-store.ts';
import { type ReceivedMail, readMail } from '../received-mail.ts';
import { basic, Client } from './client.ts';
import { keepOpen } from './keep-open.ts';
import { SecretLeakDetector } from './secret-leak-detector.ts';
import { inProcess, type Runtime, type SharedStore, type Started } from './service-runtime.ts';

/** The ports that a store may lack. */
export type OptionalPort = 'names' | 'listing' | 'search' | 'events' | 'attempts';

/** A database for the service: `open` gives its block of the configuration, with an empty store each time. */
export interface Database {
  readonly name: string;
  /** The ports that the store lacks; the suite then expects the corresponding errors. Default: none. */
  readonly lacks?: readonly OptionalPort[];
  open(): Promise<{ readonly yaml: object; dispose(): Promise<void> }>;
}

/** Blocks that replace those of the default configuration; null removes a block. */
export type Blocks = Readonly<Record<string, object | string | null>>;

/** A running service and a client for it. */
export interface TestService {
  readonly client: Client;
  readonly url: string;
  readonly adminUrl: string;
  readonly warnings: readonly string[];
  /** The log lines so far. */
  log(): Promise<readonly string[]>;
  /** The mails to an address, oldest first. */
  mailsTo(address: string): Promise<readonly ReceivedMail[]>;
}

/** The base of links in mails, by default. */
export const publicUrl = 'https://accounts.example.com';

export const secretOfSuite = 'a secret of the suite: 1f0c7a52';

const defaultBlocks = (outbox: string): Blocks => ({
  server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl },
  email: { type: 'outbox', directory: outbox, fromAddress: 'Latchkey <no-reply@example.com>' },
  auth: { type: 'basic', keys: [{ application: 'suite', secret: secretOfSuite }] },
  logging: { requests: 'all' },
});

interface OpenedDatabase {
  readonly yaml: object;
  readonly store: SharedStore;
  close(): Promise<void>;
}

const shared = (): SharedStore & { close(): Promise<void> } => {
  let store: Promise<StorePorts> | undefined;
  return {
    open: async (configured, tools) => {
      store ??= configured(tools);
      return keepOpen(await store);
    },
    close: async () => (await store?.catch(() => undefined))?.users.close(),
  };
};

/** The mails in the files so far, by path, because tests read a folder until a mail is there. A file does not change. */
const readMails = new Map<string, Promise<ReceivedMail>>();

const mailIn = (path: string): Promise<ReceivedMail> => {
  const mail = readMails.get(path) ?? readFile(path).then(readMail);
  readMails.set(path, mail);
  return mail;
};

/** The mails in a folder of `.eml` files, ordered by file name. */
const mailsIn = async (directory: string): Promise<readonly ReceivedMail[]> => {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.eml')).sort();
  return Promise.all(names.map((name) => mailIn(join(directory, name))));
};

/** A block `email` that stores mails and writes them to the files of a folder. */
export interface QueuedEmail {
  readonly type: 'outbox';
  readonly directory: string;
  readonly fromAddress: string;
  readonly queue: true;
}

/** Starts services for tests, one for each configuration. */
export class Harness {
  readonly leakDetector = new SecretLeakDetector();
  private readonly services = new Map<string, Promise<TestService>>();
  private readonly running: Started[] = [];
  /** The clients of all services, for comparisons after the tests. */
  readonly clients: Client[] = [];
  private folder: Promise<string> | undefined;
  private opened: Promise<OpenedDatabase> | undefined;

  constructor(
    private readonly database: Database,
    private readonly runtime: Runtime = inProcess,
  ) {}

  /** Whether the store lacks a port. */
  lacks(port: OptionalPort): boolean {
    return this.database.lacks?.includes(port) ?? false;
  }

  /** Whether `serviceOn` is available. */
  get takesStores(): boolean {
    return this.runtime.takesStores;
  }

  /** A service with the database and these blocks. */
  service(blocks: Blocks = {}): Promise<TestService> {
    const key = JSON.stringify(blocks);
    const running = this.services.get(key) ?? this.startOnDatabase(blocks);
    this.services.set(key, running);
    return running;
  }

  /** A service with the given store. */
  serviceOn(store: StorePorts, blocks: Blocks = {}): Promise<TestService> {
    return this.start({ ...blocks, database: { type: 'sqlite', path: 'unused' } }, { open: async () => store });
  }

  /** A harness with another database, whose services do nothing for those of this one. The caller closes it. */
  alone(): Harness {
    return new Harness(this.database, this.runtime);
  }

  /** Writes a file for a configuration. Resolves with its path. */
  async file(name: string, content: string | Uint8Array): Promise<string> {
    const path = join(await this.place(), name);
    await writeFile(path, content);
    return path;
  }

  /**
   * A block `email` with queued mails. The services of one database send each other's queued mails, so that all of them
   * need the same folder.
   */
  async queuedEmail(): Promise<QueuedEmail> {
    const directory = join(await this.place(), 'queued-mails');
    await mkdir(directory, { recursive: true });
    return { type: 'outbox', directory, fromAddress: 'Latchkey <no-reply@example.com>', queue: true };
  }

  /** The mails in a configured outbox, oldest first. */
  mailsIn(directory: string): Promise<readonly ReceivedMail[]> {
    return mailsIn(directory);
  }

  /** Stops all services, and removes their files. */
  async close(): Promise<void> {
    // Concurrently, because a stopping service waits for late requests.
    await Promise.all(this.running.map((service) => service.stop()));
    // The tests report why a database could not be opened.
    await this.opened?.then(
      ({ close }) => close(),
      () => undefined,
    );
    if (this.folder !== undefined) await rm(await this.folder, { recursive: true, force: true });
  }

  private place(): Promise<string> {
    this.folder ??= this.runtime.folder();
    return this.folder;
  }

  private async startOnDatabase(blocks: Blocks): Promise<TestService> {
    this.opened ??= this.openDatabase();
    const { yaml, store } = await this.opened;
    return this.start({ ...blocks, database: yaml }, store);
  }

  private async openDatabase(): Promise<OpenedDatabase> {
    const { yaml, dispose } = await this.database.open();
    const store = shared();
    const close = async (): Promise<void> => {
      await store.close();
      await dispose();
    };
    return { yaml, store, close };
  }

  private async start(blocks: Blocks, store: SharedStore): Promise<TestService> {
    const folder = await this.place();
    const own = await mkdtemp(join(folder, 'service-'));
    const outbox = join(own, 'outbox');
    await mkdir(outbox);
    const document = Object.entries({ ...defaultBlocks(outbox), ...blocks }).filter(([, block]) => block !== null);
    const file = join(own, 'latchkey.yaml');
    await writeFile(file, stringify(Object.fromEntries(document)));
    const started = await this.runtime.start({ folder, file }, store, (line) => this.leakDetector.addOutput(line));
    this.running.push(started);
    return this.described(started, outbox);
  }

  private described({ url, adminUrl, warnings, log }: Started, outbox: string): TestService {
    const client = new Client(url, basic('suite', secretOfSuite), this.leakDetector);
    this.clients.push(client);
    return {
      client,
      url,
      adminUrl,
      warnings,
      log,
      mailsTo: async (address) => (await mailsIn(outbox)).filter(({ to }) => to === address),
    };
  }
}

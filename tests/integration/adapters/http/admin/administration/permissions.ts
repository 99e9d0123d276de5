import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminPermission, adminPermissions } from '../../../../../../adapters/http/authentication/permissions.ts';
import { createAdminClient, type LatchkeyAdminClient } from '../../../../../../sdk/client/index.ts';
import { startLatchkey, type TestLatchkey } from '../../../../../../sdk/testing/index.ts';

/** What the keys of the service may do, by their applications; `root` may do everything. */
const keys: Readonly<Record<string, readonly AdminPermission[] | undefined>> = {
  root: undefined,
  none: [],
  ...Object.fromEntries(
    adminPermissions.flatMap((permission) => [
      [`only-${permission}`, [permission]],
      [`reads-and-${permission}`, ['read', permission]],
      [`without-${permission}`, adminPermissions.filter((other) => other !== permission)],
    ]),
  ),
};

const secret = 'of an administrator';
const basic = (application: string): string => `Basic ${Buffer.from(`${application}:${secret}`).toString('base64')}`;

export interface Administered {
  /** Creates a user with the custom properties `name` and `username`; returns its address. */
  created(): Promise<string>;
  /** Sends a request with a key. */
  ask(
    application: string,
    path: string,
    options?: RequestInit,
  ): Promise<{ status: number; location: string; text: string }>;
  /** The typed client with a key. */
  client(application: string): LatchkeyAdminClient;
  /** Stops the service, and returns the lines of the audit. */
  audited(): Promise<readonly Record<string, unknown>[]>;
}

/** Starts a service with every action of administrators, and a key for each permission. */
export const serviceWithLimitedKeys = (): (() => Administered) => {
  let service: TestLatchkey;
  let folder: string;
  let count = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-permissions-'));
    const file = join(folder, 'audit.jsonl');
    service = await startLatchkey({
      users: { ids: true },
      properties: { allowSuperset: true, allowed: [{ name: 'username', type: 'string', unique: true }] },
      admin: {
        nameProperty: 'name',
        createUsers: true,
        keys: Object.entries(keys).map(([application, may]) => ({
          application,
          secret,
          ...(may && { may: [...may] }),
        })),
      },
      audit: { file },
      // No mail can be written into a file, so that mails wait.
      email: { type: 'outbox', directory: file, queue: true, confirmChange: true },
      passwordHash: { serverSideHash: true },
      invitations: {},
      recovery: { pageUrl: 'https://app.example.com/new-password' },
      server: { publicUrl: 'https://users.example.com' },
    });
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });
  return () => ({
    created: async () => {
      const n = ++count;
      const user = { email: { address: `person-${n}@example.com` }, password: 'correct horse' };
      const outcome = await service.client.createUser({ ...user, name: `Named ${n}`, username: `unique-${n}` });
      if (!outcome.ok) throw new TypeError(outcome.problem.code);
      return user.email.address;
    },
    ask: async (application, path, { headers, ...options } = {}) => {
      const response = await fetch(service.adminUrl + path, {
        redirect: 'manual',
        ...options,
        headers: { Authorization: basic(application), ...Object(headers) },
      });
      return {
        status: response.status,
        location: response.headers.get('location') ?? '',
        text: await response.text(),
      };
    },
    client: (application) => createAdminClient({ url: service.adminUrl, credentials: { application, secret } }),
    audited: async () => {
      await service.stop();
      const lines = (await readFile(join(folder, 'audit.jsonl'), 'utf8')).trim().split('\n');
      return lines.map((line) => JSON.parse(line));
    },
  });
};

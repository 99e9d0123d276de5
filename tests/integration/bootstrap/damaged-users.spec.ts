import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { readConfiguration } from '../../../bootstrap/configuration/configuration-file.ts';
import { startService } from '../../../bootstrap/service.ts';
import { silentContext } from '../../support/doubles/silent-context.ts';
import { eventually } from '../../support/eventually.ts';

const many = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${name}-${n}@example.com`);

describe('requests for a recovery of users whose records are damaged', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-damaged-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('do not delay those of others', async () => {
    const file = join(folder, 'latchkey.yaml');
    const path = join(folder, 'users.db');
    const directory = join(folder, 'mails');
    const document = {
      server: { port: 0, adminPort: 0, host: '127.0.0.1', publicUrl: 'https://users.example.com' },
      database: { type: 'sqlite', path },
      // With a language in the custom properties, which are read then.
      email: { type: 'outbox', directory, locales: ['de'], localeProperty: 'locale' },
      auth: { type: 'basic', keys: [{ application: 'app', secret: 'secret' }] },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      recovery: {},
    };
    await writeFile(file, stringify(document));
    const service = await startService(
      (await readConfiguration(file, silentContext.log)).configuration,
      silentContext.log,
    );
    try {
      const headers = {
        Authorization: `Basic ${Buffer.from('app:secret').toString('base64')}`,
        'Content-Type': 'application/json',
      };
      const [damaged, others] = [many(20, 'damaged'), many(5, 'other')];
      for (const address of [...damaged, ...others]) {
        const body = JSON.stringify({ email: { address }, password: 'forgotten' });
        expect((await fetch(`${service.url}/users`, { method: 'POST', headers, body })).status).to.equal(201);
      }
      const database = new Database(path);
      database.prepare("UPDATE users SET properties = 'not JSON' WHERE key LIKE 'damaged%'").run();
      database.close();
      for (const address of [...damaged, ...others]) {
        const url = `${service.url}/recovery?email=${address}`;
        expect((await fetch(url, { method: 'POST', headers })).status).to.equal(202);
      }
      const mailed = async (): Promise<string> => {
        const names = await readdir(directory);
        return (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))).join('\n');
      };
      // Within the delay of a request, and before a failed one is repeated.
      await eventually(async () => {
        const mails = await mailed();
        for (const address of others) expect(mails).to.include(address);
      }, 4_500);
      const { recovery } = Object(await (await fetch(`${service.adminUrl}/healthcheck`)).json());
      expect(recovery.message).to.match(/^requests are processed/);
    } finally {
      await service.stop();
    }
  });
});

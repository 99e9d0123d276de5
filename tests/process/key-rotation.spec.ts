import { expect } from 'chai';
import { digestOnly } from '../support/client-keys.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, type Serving } from './installation.ts';

const secrets = {
  former: 'the former secret of the shop',
  next: 'the next secret of the shop',
  administrator: 'the former secret of root',
  nextAdministrator: 'the next secret of root',
};

const sha256 = (secret: string): string => digestOnly(secret).sha256;

describe('the rotation of secrets with two workers', () => {
  let installation: Installation;
  let serving: Serving;
  let expiresMs: number;

  before(async () => {
    installation = await Installation.create();
    expiresMs = Math.ceil(Date.now() / 1_000) * 1_000 + 15_000;
    const expires = new Date(expiresMs).toISOString().replace('.000', '');
    await installation.configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 },
      auth: {
        keys: [
          {
            application: 'shop',
            secrets: [{ sha256: sha256(secrets.former), expires }, { sha256: sha256(secrets.next) }],
          },
        ],
      },
      admin: {
        keys: [
          {
            application: 'root',
            secrets: [{ secret: secrets.administrator }, { sha256: sha256(secrets.nextAdministrator) }],
          },
        ],
      },
    });
    serving = await installation.serve();
  });
  after(() => installation.dispose());

  const status = async (base: string, path: string, key: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from(key).toString('base64')}`;
    return (await fetch(`${base}${path}`, { headers: { authorization, connection: 'close' } })).status;
  };
  const asShop = (secret: string) => status(serving.url, '/users?email=jane@example.com', `shop:${secret}`);
  const asRoot = (secret: string) => status(serving.adminUrl, '/admin/users', `root:${secret}`);

  const metrics = async () => {
    const text = await (await fetch(`${serving.adminUrl}/metrics`)).text();
    return [...text.matchAll(/^latchkey_secret_(\w+)\{option="(.*?)"\} (\S+)$/gm)].map(([, name, option, value]) => ({
      [`${option} ${name}`]: Number(value),
    }));
  };

  it('accepts both, says which of them is used, and refuses the former one when it has expired', async () => {
    const startedMs = Date.now();
    for (const secret of [secrets.former, secrets.next, secrets.next]) expect(await asShop(secret)).to.not.equal(401);
    expect(await asShop(sha256(secrets.next))).to.equal(401);
    expect(await asRoot(secrets.nextAdministrator)).to.equal(200);
    const { 'auth.keys[0].secrets[1] last_use_timestamp_seconds': lastUse, ...counts } = Object.assign(
      {},
      ...(await metrics()),
    );
    expect(lastUse * 1_000).to.be.within(startedMs, Date.now());
    expect(counts).to.include({
      'auth.keys[0].secrets[0] expiry_timestamp_seconds': expiresMs / 1_000,
      'auth.keys[0].secrets[0] requests_total': 1,
      'auth.keys[0].secrets[1] requests_total': 2,
      'admin.keys[0].secrets[0] requests_total': 0,
      'admin.keys[0].secrets[1] requests_total': 1,
    });
    expect(counts).to.not.have.property('admin.keys[0].secrets[0] last_use_timestamp_seconds');
    const health = JSON.parse(await (await fetch(`${serving.adminUrl}/healthcheck`)).text());
    const at = new Date(Math.floor(lastUse) * 1_000).toISOString().slice(0, 19);
    expect(health.keys.healthy).to.equal(true);
    expect(health.keys.message.split('; ')).to.include.members([
      `auth.keys[0].secrets[1] last used ${at}Z`,
      'admin.keys[0].secrets[0] not used since the start',
    ]);
    await eventually(async () => expect(await asShop(secrets.former)).to.equal(401), 25_000);
    expect(Date.now()).to.be.at.least(expiresMs);
    for (const _ of [1, 2, 3, 4]) expect(await asShop(secrets.former)).to.equal(401);
    expect(await asShop(secrets.next)).to.not.equal(401);
  });

  it('shows no secret and no digest', async () => {
    const paths = ['/metrics', '/healthcheck'];
    const pages = await Promise.all(paths.map(async (path) => (await fetch(`${serving.adminUrl}${path}`)).text()));
    const shown = [...pages, serving.run.stdout, serving.run.stderr].join('\n');
    expect(shown).to.include('auth.keys[0].secrets[0] expires on');
    for (const secret of Object.values(secrets)) {
      expect(shown).to.not.include(secret);
      expect(shown).to.not.include(sha256(secret));
    }
  });
});

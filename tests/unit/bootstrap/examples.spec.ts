import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { Environment } from '../../support/environment.ts';
import { configured, read } from './configuration/read-configuration.ts';

const folder = new URL('../../../config/', import.meta.url);

/** What the examples call their secrets, with values of a kind that fits. */
const values: Readonly<Record<string, string>> = {
  LATCHKEY_WEB_APP_SECRET: 'a secret of an application',
  LATCHKEY_SMTP_PASSWORD: 'another secret',
  LATCHKEY_MONGODB_URI: 'mongodb://localhost:27017/',
};

const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

describe('the example configurations', () => {
  const environment = new Environment();
  before(() => {
    for (const [name, value] of Object.entries(values)) environment.set(name, value);
  });
  after(() => environment.restore());

  it('are there for each deployment', () => {
    expect(names).to.include.members(['local.yaml', 'mongodb-smtp.yaml', 'dynamodb-ses.yaml']);
  });

  // A container does not know which of its ports are published: it warns until the configuration names a TLS proxy.
  const expected: Readonly<Record<string, RegExp>> = { 'container.yaml': /^server\.host accepts connections/ };

  for (const name of names) {
    it(`${name} can be used, without warnings except for its purpose`, async () => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const { secrets, ...others } = parse(text);
      // The environment stands in for a provider that would have to be reached.
      const { configuration, warnings } = await read(
        secrets?.provider === 'secretsmanager' ? JSON.stringify(others) : text,
      );
      expect(configuration.database.type).to.equal(others.database.type);
      expect(configuration.email?.type).to.equal(others.email.type);
      expect(configuration.privacy.hidePasswords).to.equal(true);
      const [warning, ...further] = warnings;
      expect(further).to.deep.equal([]);
      if (expected[name] === undefined) expect(warning).to.equal(undefined);
      else expect(warning).to.match(expected[name]);
    });
  }

  for (const [path, compose] of [
    ['container.yaml', null],
    ['../deploy/compose/mongodb.yaml', 'compose.yaml'],
    ['../deploy/compose/postgresql.yaml', 'compose.postgresql.yaml'],
    ['../deploy/compose/dynamodb.yaml', 'compose.dynamodb.yaml'],
  ] as const)
    it(`${path}: links in mails follow the published port`, async () => {
      const text = await readFile(new URL(path, folder), 'utf8');
      const { server, privacy } = await configured(text);
      expect(server.publicUrl).to.equal('http://localhost:8080');
      expect(privacy.hidePasswords).to.equal(true);
      environment.set('LATCHKEY_PORT', '9000');
      try {
        expect((await configured(text)).server.publicUrl).to.equal('http://localhost:9000');
      } finally {
        environment.set('LATCHKEY_PORT', undefined);
      }
      if (compose === null) return;
      const { latchkey } = parse(await readFile(new URL(`../${compose}`, folder), 'utf8')).services;
      expect(latchkey.ports[0]).to.include(latchkey.environment.LATCHKEY_PORT);
    });

  it('dynamodb-ses.yaml says completely where its secrets are', async () => {
    const { secrets, database } = parse(await readFile(new URL('dynamodb-ses.yaml', folder), 'utf8'));
    expect((await configured(JSON.stringify({ secrets, database }))).secrets.provider).to.equal('secretsmanager');
  });
});

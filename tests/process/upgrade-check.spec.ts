import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { schemaVersion } from '../../adapters/stores/sqlite/sqlite-schema.ts';
import { currentFormat } from '../../adapters/stores/stored-format.ts';
import { eachWithInstallation, program } from './installation.ts';

describe('latchkey upgrade-check', () => {
  const installation = eachWithInstallation();

  const check = async (other: string): Promise<readonly [unknown, string]> => {
    const { status, stdout, stderr } = await installation().command(['upgrade-check', other, 'latchkey.yaml']);
    return [status, `${stdout}${stderr}`];
  };

  /** Writes what this version says about itself, as a later version with another content would. */
  const writeLater = async (change: (own: Record<string, object>) => object): Promise<void> => {
    const own = JSON.parse(await readFile(join(dirname(program), 'compatibility.json'), 'utf8'));
    await installation().write('later.json', JSON.stringify({ ...own, version: '99.0.0', ...change(own) }));
  };

  it('compares the formats of the database that the configuration names, without opening it', async () => {
    expect((await check(join(dirname(program), '..')))[0]).to.equal(0);
    const format = schemaVersion + 1;
    const sqlite = { knows: format, writes: format, writesWithNames: format, isShared: false };
    await writeLater(({ stores }) => ({ stores: { ...stores, sqlite } }));
    const [status, text] = await check('later.json');
    expect(status).to.equal(1);
    expect(text).to.match(
      /^FAIL {2}rolling upgrade from .* to 99\.0\.0: not possible: .*\nFAIL {2}way back from 99\.0\.0/,
    );
    expect(text).to.include(`refuses more than ${schemaVersion}`);

    const database = {
      type: 'mongodb',
      connectionString: 'mongodb://127.0.0.1:1/',
      databaseName: 'accounts',
      collectionName: 'users',
    };
    await installation().configure({ database });
    expect((await check('later.json'))[0]).to.equal(0);
    await installation().configure({ database, users: { ids: true } });
    const mongodb = {
      knows: currentFormat + 1,
      writes: currentFormat,
      writesWithNames: currentFormat + 1,
      isShared: true,
    };
    await writeLater(({ stores }) => ({ stores: { ...stores, mongodb } }));
    expect((await check('later.json'))[0]).to.equal(1);
  });

  it('names the keys of the configuration that the other version refuses', async () => {
    await installation().configure({ database: { type: 'memory' }, privacy: { hidePasswords: true } });
    await writeLater(({ options }) => ({
      options: Object.values(options ?? {}).filter((key) => key !== 'privacy.hidePasswords'),
    }));
    const [status, text] = await check('later.json');
    expect([status, text.split('\n').at(-2)]).to.deep.equal([
      1,
      'FAIL  configuration: 99.0.0 refuses privacy.hidePasswords',
    ]);
  });

  it('says what the other version has to be', async () => {
    await installation().write('other.json', '{"version":"99.0.0"}');
    expect(await check('other.json')).to.deep.equal([
      1,
      'latchkey: other.json: expected dist/compatibility.json of a package of Latchkey\n',
    ]);
    expect((await check('.'))[1]).to.include('expected the folder of a package of 0.2.0 or later');
    expect((await check('/dev/null'))[1]).to.include('expected a file; this is a device or a socket');
    expect((await check('none'))[1]).to.equal('latchkey: none: no such file or folder\n');
    expect((await installation().command(['upgrade-check'])).status).to.equal(2);
  });
});

import { chown, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eachWithInstallation } from './installation.ts';

/** A user who need not exist, and who is not root. */
const owner = 4711;

describe('commands of root, where the service runs as another user', function () {
  this.timeout(30_000);
  const installation = eachWithInstallation();

  before(function () {
    if (process.getuid?.() === 0) return;
    console.warn('the tests do not run as root: the owner of files that commands of root create was NOT tested');
    this.skip();
  });

  /** The owners of the files in the folder of the database. */
  const owners = async (folder: string): Promise<Readonly<Record<string, number>>> => {
    const names = (await readdir(folder)).sort();
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).uid])),
    );
  };

  it('leave the files of the embedded database, and its folders, to the owner of the folder above', async () => {
    const lib = join(installation().folder, 'lib');
    await mkdir(lib);
    await chown(lib, owner, owner);
    const folder = join(lib, 'sub', 'folder');
    const database = { type: 'sqlite', path: join(folder, 'users.db') };
    await installation().configure({ database, throttle: { clientFailures: 0 } });
    await installation().write('users.jsonl', '{"email":{"address":"jane@example.com"},"password":"a stored one"}\n');
    const imported = await installation().command(['import', 'users.jsonl', 'latchkey.yaml']);
    expect(imported.status, imported.stderr).to.equal(0);
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.status, checked.stdout).to.equal(0);
    expect(await owners(folder)).to.deep.equal({ 'users.db': owner });
    expect([await owners(lib), await owners(join(lib, 'sub'))]).to.deep.equal([{ sub: owner }, { folder: owner }]);
    const { stop } = await installation().serve();
    const running = await owners(folder);
    await stop();
    expect(running).to.include.keys('users.db-wal', 'users.db-throttle-wal');
    expect(new Set(Object.values(running))).to.deep.equal(new Set([owner]));
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createUser, eachWithInstallation, program, readUser } from './installation.ts';

const writers = 4;

/** The commands that docs/operations.md shows in its section about backups, to back up and to restore. */
const documented = async (): Promise<readonly string[]> => {
  const document = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const [section = ''] = /^## Backup and restore$[\s\S]*?^## /m.exec(document) ?? [];
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands);
};

describe('latchkey backup', () => {
  const installation = eachWithInstallation();

  /** Creates users continuously until it is stopped, and records the acknowledged ones. */
  const writing = (url: string) => {
    const acknowledged: string[] = [];
    let goesOn = true;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; goesOn; n++) {
        const address = `user-${writer}-${n}@example.com`;
        expect(await createUser(url, address)).to.equal(201);
        acknowledged.push(address);
      }
    };
    const done = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
    const stop = async (): Promise<void> => {
      goesOn = false;
      await done;
    };
    return { acknowledged, stop };
  };

  /** Runs commands of the document in the folder of this installation, as the user of this test. */
  const follow = (commands: string): string => {
    const { folder } = installation();
    const script = commands
      .replaceAll('/var/lib/latchkey', folder)
      .replaceAll('/backup/', join(folder, 'backup/'))
      .replace(/^latchkey /gm, `'${process.execPath}' '${program}' `)
      .replace('chown latchkey ', 'chown "$(id -un)" ');
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };

  it('restores every user acknowledged before it, after a crash, as the documentation describes', async () => {
    const { folder } = installation();
    await installation().configure({ database: { type: 'sqlite', path: 'latchkey.db' } });
    await mkdir(join(folder, 'backup'));
    const [backup = '', restore = ''] = await documented();
    const serving = await installation().serve();
    const { acknowledged, stop } = writing(serving.url);
    while (acknowledged.length < 60) await new Promise((resolve) => setImmediate(resolve));

    const before = [...acknowledged];
    const copied = await installation().command(['backup', 'latchkey.db', 'copy.db']);
    expect(copied.stderr).to.equal('');
    expect(copied.stdout).to.match(/^ok {4}copy\.db: checked and on the disk, users: \d+\n$/);
    expect(Number(/users: (\d+)/.exec(copied.stdout)?.[1])).to.be.at.least(before.length);
    expect(acknowledged.length, 'writes went on').to.be.above(before.length);
    expect(follow(backup)).to.match(/^ok {4}/);
    await stop();
    await serving.stop('SIGKILL');

    follow(restore);
    const restored = await installation().serve();
    const found = await Promise.all(before.map((address) => readUser(restored.url, address)));
    expect(new Set(found)).to.deep.equal(new Set([200]));
    expect(await createUser(restored.url, 'later@example.com')).to.equal(201);
    expect(await restored.stop()).to.equal(0);
  });

  it('copies the database of the configuration, and refuses if that is no file', async () => {
    const environment = { LATCHKEY_CONFIG: 'latchkey.yaml' };
    const missing = await installation().command(['backup', 'copy.db'], environment);
    expect([missing.status, missing.stderr]).to.deep.equal([
      1,
      `latchkey: ${installation().folder}/users.db was not copied to ${installation().folder}/copy.db: the database does not exist\n`,
    ]);
    const serving = await installation().serve();
    expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
    const copied = await installation().command(['backup', 'copy.db'], environment);
    expect([copied.stderr, copied.stdout]).to.deep.equal(['', 'ok    copy.db: checked and on the disk, users: 1\n']);
    await serving.stop();
    await installation().configure({ database: { type: 'memory' } });
    const refused = await installation().command(['backup', 'other.db'], environment);
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.include('database.type is memory: latchkey backup copies only the file of type sqlite');
    expect(existsSync(join(installation().folder, 'other.db'))).to.equal(false);
  });

  it('ends with 1 and the reason if there is no database', async () => {
    const { status, stdout, stderr } = await installation().command(['backup', 'users.db', 'copy.db']);
    expect(status).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^latchkey: .*users\.db was not copied to .*copy\.db: the database does not exist\n$/);
  });

  for (const operands of [[], ['users.db', 'copy.db', 'more']])
    it(`ends with 2 and the command for help with ${operands.length} operands`, async () => {
      const { status, stderr } = await installation().command(['backup', ...operands]);
      expect(status).to.equal(2);
      expect(stderr).to.match(/^latchkey: backup takes .*\nSee: latchkey help backup\n$/);
    });
});

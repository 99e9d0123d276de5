import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createUser, eachWithInstallation, readUser } from './installation.ts';

const writers = 8;

describe('latchkey backup', () => {
  const installation = eachWithInstallation();

  /** Creates users without a pause until it is told to stop, and keeps account of those that were acknowledged. */
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

  it('brings back every user that was acknowledged before it, after a crash', async () => {
    const serving = await installation().serve();
    const { acknowledged, stop } = writing(serving.url);
    while (acknowledged.length < 200) await new Promise((resolve) => setImmediate(resolve));

    const before = [...acknowledged];
    const { status, stdout, stderr } = await installation().command(['backup', 'users.db', 'copy.db']);
    expect(stderr).to.equal('');
    expect(status).to.equal(0);
    expect(stdout).to.match(/^ok {4}copy\.db: checked and on the disk, users: \d+\n$/);
    expect(Number(/users: (\d+)/.exec(stdout)?.[1])).to.be.at.least(before.length);
    expect(acknowledged.length, 'writes went on').to.be.above(before.length);
    await stop();
    await serving.stop('SIGKILL');

    // The steps of docs/operations.md.
    const file = (name: string) => join(installation().folder, name);
    await Promise.all(['users.db', 'users.db-wal', 'users.db-shm'].map((name) => rm(file(name), { force: true })));
    await copyFile(file('copy.db'), file('users.db'));
    const restored = await installation().serve();
    for (const address of before) expect(await readUser(restored.url, address), address).to.equal(200);
    expect(await createUser(restored.url, 'later@example.com')).to.equal(201);
    expect(await restored.stop()).to.equal(0);
  });

  it('ends with 1 and says why when there is nothing to copy', async () => {
    const { status, stdout, stderr } = await installation().command(['backup', 'users.db', 'copy.db']);
    expect(status).to.equal(1);
    expect(stdout).to.equal('');
    expect(stderr).to.match(/^latchkey: .*users\.db was not copied to .*copy\.db: there is no such database\n$/);
  });

  for (const operands of [[], ['users.db'], ['users.db', 'copy.db', 'more']])
    it(`ends with 2 and explains itself with ${operands.length} operands`, async () => {
      const { status, stderr } = await installation().command(['backup', ...operands]);
      expect(status).to.equal(2);
      expect(stderr).to.include('latchkey backup DATABASE COPY');
    });
});

import { spawnSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { freshAddress } from './databases.ts';
import type { Guarantee } from './guarantee.ts';

const password = 'a password of the full disk';

/** Mounts a small file system; false without permission. */
const mountSmallDisk = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]).status === 0;

/** Creates users of 20 KB until one is refused. Resolves with the addresses of the created ones. */
const fill = async (caller: Caller): Promise<readonly string[]> => {
  const created: string[] = [];
  for (;;) {
    const address = freshAddress();
    const body = { email: { address }, password, filler: 'x'.repeat(20_000) };
    const response = await caller.call('POST', '/users', body);
    if (response?.status === 201) {
      created.push(address);
      continue;
    }
    expect(response?.status, response?.body).to.equal(503);
    return created;
  }
};

const expectAll = async (caller: Caller, addresses: readonly string[]): Promise<void> => {
  for (const address of addresses) {
    const response = await caller.call('GET', at(address), undefined, { password });
    expect(response?.status, `${address} ${response?.body}`).to.equal(200);
  }
};

/** Fills the disk of a new database, and frees space again. Resolves with the number of acknowledged users. */
const fillOnce = async (installation: Installation, disk: string): Promise<number> => {
  await installation.configure({ database: { type: 'sqlite', path: join(disk, 'users.db') } });
  const serving = await installation.serve();
  const caller = new Caller(serving.url);
  const reserve = join(disk, 'reserve');
  await writeFile(reserve, Buffer.alloc(512 * 1024));
  const created = await fill(caller);
  await expectAll(caller, created);
  await rm(reserve);
  const address = freshAddress();
  const body = { email: { address }, password };
  expect((await caller.call('POST', '/users', body))?.status, 'after space was freed').to.equal(201);
  await expectAll(caller, [...created, address]);
  caller.close();
  expect(await serving.stop()).to.equal(0);
  return created.length;
};

/** A round fills the disk, and frees space again. */
export const fullDisk: Guarantee = {
  name: 'on a full disk writes get 503, acknowledged users can still be read, and writes succeed again once there is space',
  rounds: { short: 1, long: 20 },
  timeoutMs: 60_000,
  run: async (rounds) => {
    let kept = 0;
    for (let round = 0; round < rounds; round++) {
      const installation = await Installation.create();
      const disk = join(installation.folder, 'disk');
      await mkdir(disk);
      const isMounted = mountSmallDisk(disk);
      try {
        if (!isMounted) {
          console.log('\nNOT TESTED: a full disk, because this user has no permission to mount a small file system.\n');
          return 'NOT TESTED, because a small file system could not be mounted';
        }
        kept += await fillOnce(installation, disk);
      } finally {
        if (isMounted) spawnSync('umount', ['--lazy', disk]);
        await installation.dispose();
      }
    }
    expect(kept).to.be.greaterThan(0);
    return `${rounds} times full, ${kept} acknowledged users all read, writes succeeded with space`;
  },
};

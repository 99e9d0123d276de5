import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Installation } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';

const password = 'a password of the full disk';

/** Creates users of 20 KB until one is refused. Resolves with the addresses of the created ones. */
const fill = async (caller: Caller, random: RandomStream): Promise<readonly string[]> => {
  const created: string[] = [];
  for (;;) {
    const address = random.address();
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

const expectReadiness = (adminUrl: string, status: number): Promise<void> =>
  eventually(async () => {
    expect((await fetch(`${adminUrl}/readyz`)).status, 'readiness').to.equal(status);
  }, 10_000);

/** Tries wrong passwords: some are counted, until the disk has no space for counts either. Then no password is checked. */
const expectNoFreeGuesses = async (caller: Caller, address: string): Promise<void> => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 60; guess++) {
    const response = await caller.call('GET', at(address), undefined, { password: `wrong ${guess}` });
    statuses.push(response?.status ?? 0);
  }
  expect(statuses.filter((status) => status === 401).length, statuses.join(' ')).to.be.at.most(10);
  expect((await caller.call('GET', at(address), undefined, { password }))?.status, 'after 60 guesses').not.to.equal(
    200,
  );
};

/** Fills the disk of a new database, and frees space again. Resolves with the number of acknowledged users. */
const fillOnce = async (installation: Installation, disk: string, random: RandomStream): Promise<number> => {
  await installation.configure({
    database: { type: 'sqlite', path: join(disk, 'users.db') },
    throttle: { clientFailures: 0 },
  });
  const serving = await installation.serve();
  const caller = new Caller(serving.url);
  const reserve = join(disk, 'reserve');
  await writeFile(reserve, Buffer.alloc(3 * 512 * 1024));
  const created = await fill(caller, random);
  await expectReadiness(serving.adminUrl, 503);
  await expectAll(caller, created);
  const [guessed = '', ...others] = created;
  await expectNoFreeGuesses(caller, guessed);
  await rm(reserve);
  await expectReadiness(serving.adminUrl, 200);
  const address = random.address();
  const body = { email: { address }, password };
  expect((await caller.call('POST', '/users', body))?.status, 'after space was freed').to.equal(201);
  await expectAll(caller, [...others, address]);
  caller.close();
  expect(await serving.stop()).to.equal(0);
  return created.length;
};

/** A round fills the disk, and frees space again. */
export const fullDisk: Guarantee = {
  name: 'on a full disk writes get 503, acknowledged users can still be read, and writes succeed again once there is space',
  rounds: { short: 1, long: 20 },
  timeoutMs: 60_000,
  run: async (rounds, random) => {
    let kept = 0;
    for (let round = 0; round < rounds; round++) {
      const disk = await SmallDisk.mount(4);
      if (disk === undefined) {
        console.log('\nNOT TESTED: a full disk, because this user has no permission to mount a small file system.\n');
        return 'NOT TESTED, because a small file system could not be mounted';
      }
      const installation = await Installation.create();
      try {
        kept += await fillOnce(installation, disk.folder, random.stream('round', round));
      } finally {
        await installation.dispose();
        await disk.unmount();
      }
    }
    expect(kept).to.be.greaterThan(0);
    return `${rounds} times full, ${kept} acknowledged users all read, writes succeeded with space`;
  },
};

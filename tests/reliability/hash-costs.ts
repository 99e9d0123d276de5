import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { hashConcurrencyOf } from '../../adapters/password-hashes/slow-hashes.ts';
import { Installation } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import type { RandomStream } from './random.ts';
import { serveMeasured, usageOf } from './resource-usage.ts';

const base64 = (random: RandomStream, bytes: number): string =>
  random.bytes(bytes).toString('base64').replaceAll('=', '');

const argon2 = (random: RandomStream, memoryKiB: number, passes: number, lanes: number, variant = 'argon2id'): string =>
  `$${variant}$v=19$m=${memoryKiB},t=${passes},p=${lanes}$${base64(random, 16)}$${base64(random, 32)}`;

const bcrypt = (random: RandomStream, cost: number): string =>
  `$2b$${String(cost).padStart(2, '0')}$${'abcdefghijklmnopqrstuu'}${random.bytes(16).toString('hex').slice(1)}`;

/** New passwords that have the form of a hash, most of them of a more expensive one than configured. */
const hashLookAlikes: readonly ((random: RandomStream) => string)[] = [
  (random) => argon2(random, 262_144, 2, 1),
  (random) => argon2(random, 1_048_576, 1, 1),
  (random) => argon2(random, 65_536, 10, 16, 'argon2i'),
  (random) => argon2(random, 19_456, 3, 1, 'argon2d'),
  (random) => argon2(random, 19_456, 1, 1),
  (random) => bcrypt(random, 15),
  (random) => bcrypt(random, 11),
  (random) => bcrypt(random, 9),
];

const ceilingKiB = 65_536;

/** Hashes that a client may store, but that the service must not compute. */
const aboveCeiling: readonly ((random: RandomStream) => string)[] = [
  (random) => argon2(random, ceilingKiB + 1, 1, 1),
  (random) => argon2(random, 262_144, 2, 1),
  (random) => argon2(random, 1_048_576, 10, 16),
  (random) => argon2(random, 19_456, 11, 1),
  (random) => argon2(random, 19_456, 2, 17),
  (random) => bcrypt(random, 16),
  (random) => bcrypt(random, 31),
];

const nth = (makers: readonly ((random: RandomStream) => string)[], index: number, random: RandomStream): string =>
  makers[index % makers.length]?.(random.stream(index)) ?? '';

const users = Array.from({ length: 4 }, (_, index) => `user-${index}@example.com`);

/** Sets new passwords for all users, and checks the last one of each. */
const change = async (caller: Caller, known: Map<string, string>, count: number, next: (index: number) => string) => {
  let index = 0;
  const changeOne = async (address: string): Promise<void> => {
    while (index < count) {
      const password = next(index++);
      const body = { email: { address }, password };
      const response = await caller.call('PUT', at(address), body, { password: known.get(address) ?? '' });
      expect(response?.status, response?.body).to.equal(200);
      known.set(address, password);
    }
    const response = await caller.call('GET', at(address), undefined, { password: known.get(address) ?? '' });
    expect(response?.status, 'the last password is accepted').to.equal(200);
  };
  await Promise.all(users.map(changeOne));
};

/** Compares new passwords that look like hashes with as many that do not. */
const testLookAlikes = async (count: number, random: RandomStream): Promise<string> => {
  const installation = await Installation.create();
  try {
    const passwordHash = { algorithm: 'argon2', serverSideHash: true, rehash: true, accept: ['bcrypt'] };
    await installation.configure({ passwordHash });
    const serving = await serveMeasured(installation);
    const caller = new Caller(serving.url, 60_000);
    const known = new Map<string, string>();
    for (const address of users) {
      await caller.call('POST', '/users', { email: { address }, password: address });
      known.set(address, address);
    }
    const started = await usageOf(serving);
    await change(caller, known, count, (index) => `ordinary ${index}`);
    const ordinary = await usageOf(serving);
    await change(caller, known, count, (index) => nth(hashLookAlikes, index, random));
    const alike = await usageOf(serving);
    caller.close();
    expect(alike.peak - ordinary.peak, 'growth of the peak memory in MiB').to.be.lessThan(32);
    const share = (alike.processor - ordinary.processor) / (ordinary.processor - started.processor);
    // A password in the form of a hash within the configured costs is verified too, in addition to the caller's
    // password.
    expect(share, 'processor time, relative to other passwords').to.be.lessThan(2);
    return `${count} new passwords that look like hashes of up to 1 GiB: peak memory ${alike.peak.toFixed(0)} MiB (${ordinary.peak.toFixed(0)} MiB with ordinary ones), ${share.toFixed(2)} times the processor time`;
  } finally {
    await installation.dispose();
  }
};

/** Checks hashes that a client stored: above the ceiling, and the most expensive ones below it, concurrently. */
const testStoredHashes = async (count: number, random: RandomStream): Promise<string> => {
  const installation = await Installation.create();
  try {
    const passwordHash = { algorithm: 'argon2', accept: ['bcrypt'], ceiling: { memoryKiB: ceilingKiB } };
    await installation.configure({ passwordHash });
    const serving = await serveMeasured(installation);
    const caller = new Caller(serving.url, 60_000);
    const store = async (address: string, password: string): Promise<void> => {
      expect((await caller.call('POST', '/users', { email: { address }, password }))?.status).to.equal(201);
    };
    const check = async (address: string): Promise<number | undefined> =>
      (await caller.call('GET', at(address), undefined, { password: 'p' }))?.status;
    const before = await usageOf(serving);
    for (let index = 0; index < count; index++) {
      await store(`over-${index}@example.com`, nth(aboveCeiling, index, random));
      expect(await check(`over-${index}@example.com`)).to.equal(401);
    }
    const over = await usageOf(serving);
    const each = (over.processor - before.processor) / count;
    expect(each, 'processor time of a refusal in milliseconds').to.be.lessThan(50);
    expect(over.peak - before.peak, 'growth of the peak memory in MiB').to.be.lessThan(16);
    await store('at@example.com', argon2(random, ceilingKiB, 1, 1));
    // On a busy machine some wait too long in the queue.
    for (const status of await Promise.all(Array.from({ length: 16 }, () => check('at@example.com'))))
      expect(status).to.be.oneOf([401, 503]);
    const full = await usageOf(serving);
    caller.close();
    const atOnce = hashConcurrencyOf(availableParallelism(), process.env);
    const most = (atOnce * ceilingKiB) / 1024;
    expect(full.peak - over.peak, 'growth of the peak memory in MiB').to.be.lessThan(most + 32);
    return `${count} stored hashes over the ceiling refused in ${each.toFixed(1)} ms of processor time each, 16 checks at once at a ceiling of ${ceilingKiB / 1024} MiB took ${(full.peak - over.peak).toFixed(0)} MiB (${most} MiB for the ${atOnce} that run at once)`;
  } finally {
    await installation.dispose();
  }
};

/** A round is one new password, and one stored hash, with costs that the client chose. */
export const hashCosts: Guarantee = {
  name: 'clients cannot choose the cost of a hash: a new password that looks like a hash costs what any other does, and a stored hash above the ceiling is refused without computing it',
  rounds: { short: 16, long: 500 },
  timeoutMs: 60_000,
  run: async (rounds, random) =>
    `${await testLookAlikes(rounds, random.stream('new'))}; ${await testStoredHashes(rounds, random.stream('stored'))}`,
};

import { readFile, symlink } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { clientHeaders, eachWithInstallation, program, type Serving } from './installation.ts';

const mebibyte = 1024 * 1024;

const version = Number(process.versions.node.split('.')[0]);
/** Node.js 22 forgets the flags of V8 when a thread starts. */
const forgetsFlags = version < 24;
/** For one process: two halves of 8 MiB, or of 16 MiB, which is the maximum of Node.js 22 itself. */
const maxYoungBytes = (forgetsFlags ? 32 : 16) * mebibyte;

const clients = 100;
const readsPerProcess = 6;

const statusOf = (url: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { ...clientHeaders, password: 'correct horse' } });
    sent.once('error', reject).once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.end();
  });

/** Creates a large user. */
const createLarge = async ({ url }: Pick<Serving, 'url'>): Promise<void> => {
  const names = Array.from({ length: 2_000 }, (_, index) => [`property-${index}`, 'x'.repeat(10)]);
  const user = { email: { address: 'jane@example.com' }, password: 'correct horse', ...Object.fromEntries(names) };
  const created = await fetch(`${url}/users`, { method: 'POST', headers: clientHeaders, body: JSON.stringify(user) });
  expect(created.status).to.equal(201);
};

/**
 * Reads a large user over many connections: collections then find many objects in use, on which V8 enlarges the young
 * generation.
 */
const readOften = async ({ url }: Pick<Serving, 'url'>, processes: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true });
  const readInTurn = async (): Promise<void> => {
    for (let n = 0; n < readsPerProcess * processes; n++)
      expect(await statusOf(`${url}/users?email=jane@example.com`, agent)).to.equal(200);
  };
  await Promise.all(Array.from({ length: clients }, readInTurn));
  agent.destroy();
};

/** The size of a space of the heap of all processes that serve requests. */
const bytesOf = async (space: 'new' | 'old', { adminUrl }: Serving): Promise<number> => {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  const series = `nodejs_heap_space_size_total_bytes{space="${space}"} `;
  const line = metrics.split('\n').find((text) => text.startsWith(series));
  return Number(line?.slice(series.length));
};

describe('the heap of the service', function () {
  this.timeout(120_000);
  const installation = eachWithInstallation();

  const youngBytesUnderLoad = async (serving: Serving, processes = 1): Promise<number> => {
    await createLarge(serving);
    await readOften(serving, processes);
    return bytesOf('new', serving);
  };

  it('stays small under load, but not so small that collections take the time of requests', async () => {
    const serving = await installation().serve();
    // Large bodies make the turns of the event loop long. On a busy machine it grows later.
    let bytes = await youngBytesUnderLoad(serving);
    for (let repeated = 0; bytes < maxYoungBytes / 2 && repeated < 4; repeated++) {
      await readOften(serving, 1);
      bytes = await bytesOf('new', serving);
    }
    expect(bytes).to.be.within(maxYoungBytes / 2, maxYoungBytes);
  });

  it('is bounded at no cost while nothing happens', async () => {
    const agent = new Agent({ keepAlive: true });
    const idleAfter = async (requests: number): Promise<void> => {
      const { url, run } = await installation().serve();
      /** In hundredths of a second (proc_pid_stat(5): utime and stime). Not from the metrics, which make objects themselves. */
      const processorTime = async (): Promise<number> => {
        const fields = (await readFile(`/proc/${run.child.pid}/stat`, 'utf8')).split(' ');
        return Number(fields[13]) + Number(fields[14]);
      };
      for (let n = 0; n < requests; n++) await statusOf(`${url}/users?email=jane@example.com`, agent);
      const timeWhileIdle = async (): Promise<number> => {
        const before = await processorTime();
        await setTimeout(6_000);
        return (await processorTime()) - before;
      };
      // It is watched for a second after a collection, which comes later on a busy machine.
      await setTimeout(3_000);
      // A watch without end takes about ten.
      const maxTicks = 5;
      let ticks = await timeWhileIdle();
      for (let repeated = 0; ticks >= maxTicks && repeated < 2; repeated++) ticks = await timeWhileIdle();
      expect(ticks, `after ${requests} requests`).to.be.below(maxTicks);
    };
    // Sizes of the young generation at which it may grow again.
    await Promise.all([300, 800, 1_500, 2_500].map(idleAfter));
    agent.destroy();
  });

  it('stays small when the command is a link, as in an installed package and in the image', async () => {
    const command = join(installation().folder, 'latchkey');
    await symlink(program, command);
    expect(await youngBytesUnderLoad(await installation().serve({}, command))).to.be.within(mebibyte, maxYoungBytes);
  });

  it('stays small in each worker', async () => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const bytes = await youngBytesUnderLoad(await installation().serve(), 2);
    expect(bytes).to.be.within(2 * mebibyte, 2 * maxYoungBytes);
  });

  it('is not exceeded by pools of native memory in workers, of which each thread would have its own', async () => {
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, workers: 2 } });
    const { run } = await installation().serve();
    const { pid } = run.child;
    const workers = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    expect(workers).to.have.length(2);
    for (const worker of workers)
      expect(await readFile(`/proc/${worker}/environ`, 'utf8')).to.match(/\0MALLOC_ARENA_MAX=[12]\0/);
  });

  it('keeps few objects of past requests, of which V8 alone would collect four times as many at once', async () => {
    const serving = await installation().serve();
    await createLarge(serving);
    let mostBytes = 0;
    for (let round = 0; round < 10; round++) {
      await readOften(serving, 1);
      mostBytes = Math.max(mostBytes, await bytesOf('old', serving));
    }
    // About 42 MiB; 90 to 120 without a bound.
    expect(mostBytes).to.be.within(mebibyte, 66 * mebibyte);
  });

  it('grows once more while so many requests at a time are served that their objects fill the old generation', async () => {
    const serving = await installation().serve();
    await createLarge(serving);
    let bytes = 0;
    for (let round = 0; bytes <= 16 * mebibyte && round < 20; round++) {
      await readOften(serving, 1);
      bytes = await bytesOf('new', serving);
    }
    expect(bytes).to.be.within(16 * mebibyte + 1, 32 * mebibyte);
    for (let round = 0; round < 5; round++) await readOften(serving, 1);
    expect(await bytesOf('new', serving)).to.be.at.most(32 * mebibyte);
  });

  it('is collected without waiting for other threads where few objects are in use', async function () {
    // Node.js 26 may collect in another thread also where it uses only one.
    if (version !== 24) this.skip();
    const run = installation().node(['--trace-gc-nvp', program, 'serve', 'latchkey.yaml']);
    await run.until(() => /"listening".*\n/.test(run.stdout));
    const url = String(/"url":"([^"]+)"/.exec(run.stdout)?.[1]);
    const before = run.stdout.length;
    await createLarge({ url });
    await readOften({ url }, 1);
    // The time that each took in other threads.
    const times = run.stdout.slice(before).matchAll(/background\.scavenge\.parallel=([\d.]+)/g);
    expect(new Set(Array.from(times, ([, milliseconds]) => Number(milliseconds)))).to.deep.equal(new Set([0]));
  });

  it('has a young generation of the size that the operator sets', async () => {
    const serving = await installation().serve({ NODE_OPTIONS: '--max-semi-space-size=32' });
    expect(await youngBytesUnderLoad(serving)).to.be.above(maxYoungBytes);
  });
});

/** Writes the sizes of a half of the young generation from the time on at which an import has created its database. */
const observer = `
import { existsSync, writeFileSync } from 'node:fs';
import { getHeapSpaceStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
const sizes = [];
if (isMainThread) {
  setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    if (existsSync('users.db')) sizes.push(young.space_used_size + young.space_available_size);
  }, 20).unref();
  process.on('exit', () => writeFileSync('sizes', JSON.stringify(sizes)));
}
`;

describe('the young generation of the heap during an import', function () {
  this.timeout(120_000);
  const installation = eachWithInstallation();

  it('does not grow, because few users are in memory', async () => {
    const { folder } = installation();
    await installation().write('observer.mjs', observer);
    const lines = Array.from({ length: 10_000 }, (_, n) =>
      JSON.stringify({
        email: { address: `user-${n}@example.com` },
        password: 'correct horse',
        filler: 'x'.repeat(200),
      }),
    );
    await installation().write('users.jsonl', lines.join('\n'));
    const flags = ['--import', './observer.mjs'];
    const run = installation().node([...flags, program, 'import', 'users.jsonl', 'latchkey.yaml']);
    expect([await run.ended, run.stdout]).to.deep.equal([0, 'ok    imported: 10000\n']);
    const sizes: readonly number[] = JSON.parse(await readFile(join(folder, 'sizes'), 'utf8'));
    // 2 or 4 MiB, because it may grow while the program is loaded; 16 at the end without the bound.
    const [first = 0] = sizes;
    // Of several, because it counts large objects for a moment.
    const last = Math.min(...sizes.slice(-10));
    expect(last).to.be.within(mebibyte, forgetsFlags ? maxYoungBytes / 2 : first);
  });
});

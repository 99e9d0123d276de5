import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { memberAddress, memberCount, memberName } from '../../tests/reliability/replica-set/links.ts';
import { MemberSet } from '../../tests/reliability/replica-set/member-set.ts';
import type { Bench, Section } from '../bench.ts';
import { onExit } from '../cleanup.ts';
import { headers, latchkey } from '../latchkey.ts';
import { type Load, send, sendDespiteFailures } from '../load/load.ts';
import type { Row } from '../results.ts';
import { Server } from '../server.ts';
import { createUsers } from '../users.ts';

const users = 500;
const loadOf = (operation: Load['operation']): Load => ({ operation, users, headers, connections: 32 });

/** How long users are updated, when the primary is killed meanwhile, and how long users are read then. */
const [updateSeconds, killSeconds, readSeconds] = [30, 5, 15];

const members = Array.from({ length: memberCount }, (_, member) => [memberName(member), memberAddress(member)]);
const resolver = fileURLToPath(new URL('../../tests/reliability/replica-set/resolve-members.js', import.meta.url));

/** The times at which the memory is measured, in order. */
const moments = ['updates', 'reads'] as const;

/** Kills the primary under updates. Resolves with the proportional memory in MB at each of the moments. */
const turn = async (bench: Bench, set: MemberSet, round: number): Promise<readonly number[]> => {
  const block = {
    type: 'mongodb',
    connectionString: set.connectionString,
    databaseName: `bench-${process.pid}-${round}`,
    collectionName: 'users',
  };
  const environment = { MEMBER_ADDRESSES: JSON.stringify(Object.fromEntries(members)) };
  const program = latchkey(bench.folder('failover'), { database: block }, { environment });
  const server = await Server.start(bench.machine, { ...program, args: ['--import', resolver, ...program.args] });
  try {
    await createUsers(server.url, users);
    const primary = await set.settled();
    const updates = sendDespiteFailures(bench.machine, server.url, loadOf('update'), updateSeconds);
    await sleep(killSeconds * 1_000);
    await set.containers[primary]?.kill();
    const { failed, requests } = await updates;
    bench.log(`    ${requests} updates, of which ${failed} failed`);
    const updated = server.proportionalBytes();
    await send(bench.machine, server.url, loadOf('read'), readSeconds);
    const read = server.proportionalBytes();
    await set.containers[primary]?.start();
    return [updated / 1e6, read / 1e6];
  } finally {
    await server.stop();
  }
};

/** The memory of the process after the members of MongoDB have elected another primary. */
export const failover: Section = {
  name: 'failover',
  title: 'Memory after a failover of MongoDB',
  explanation: 'Three members of MongoDB, whose primary is killed while users are updated; reads follow.',
  isLong: true,
  run: async (bench) => {
    let set: MemberSet;
    try {
      set = await MemberSet.start();
    } catch (error) {
      const skipped = `SKIPPED: three members of MongoDB need Docker on Linux (${error instanceof Error ? error.message : error})`;
      bench.log(skipped);
      return { contenders: [], figures: [], rows: [], notes: [skipped] };
    }
    const remove = onExit(() => set.remove());
    try {
      const turns: (readonly number[])[] = [];
      for (let round = 1; round <= bench.extent.rounds; round++) {
        bench.log(`  round ${round} of ${bench.extent.rounds}`);
        turns.push(await turn(bench, set, round));
      }
      const rows = moments.map(
        (moment, at): Row => ({
          name: `proportional memory after a failover of MongoDB, under ${moment}`,
          limit: { kind: 'at most', value: 150, unit: 'MB' },
          values: turns.map((measured) => measured[at] ?? Number.NaN),
          cpu: [],
        }),
      );
      return { contenders: [], figures: [], rows, notes: [] };
    } finally {
      await remove();
    }
  },
};

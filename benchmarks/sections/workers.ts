import type { Bench, Section } from '../bench.ts';
import { headers, latchkey } from '../latchkey.ts';
import type { Measured } from '../results.ts';
import { type Contender, interleave, runsOf, throughputRow } from '../rounds.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;

const contenderOf = (bench: Bench, database: string, workers: number): Contender => ({
  name: `Latchkey, ${workers} worker${workers === 1 ? '' : 's'}`,
  load: { operation: 'read', users, headers, connections: 64 },
  loadCores: 'both',
  prepare: () => {
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, workers };
    return latchkey(folderWith(bench, 'workers', database), { server }, { cores: 'both' });
  },
});

/** What both cores have for a request, in microseconds. */
const wholeMachine = ({ perSecond }: Measured): number => 2e6 / perSecond;

/** What a second process is worth. */
export const workers: Section = {
  name: 'workers',
  title: 'Two workers on two cores',
  explanation: 'GET `/users` with `server.workers: 2`, over one worker. Service and load share both cores.',
  run: async (bench) => {
    const nothing = (reason: string) => ({ contenders: [], figures: [], rows: [], notes: [`SKIPPED: ${reason}`] });
    if (bench.machine.cores < 2) return nothing('two workers need two cores.');
    const database = await seededDatabase(bench, users);
    const [one, two] = [contenderOf(bench, database, 1), contenderOf(bench, database, 2)];
    const contenders = await interleave(bench, [one, two]);
    const row = throughputRow(contenders, 'GET with two workers, over one', two.name, one.name, 1.7);
    const runs = runsOf(contenders, two.name);
    return {
      contenders,
      figures: [
        { name: 'both cores, for a request to two workers', unit: 'µs', values: runs.map(wholeMachine) },
        { name: 'of it, the service', unit: 'µs', values: runs.map(({ cpu }) => cpu) },
        { name: 'of it, the load and the rest', unit: 'µs', values: runs.map((run) => wholeMachine(run) - run.cpu) },
      ],
      // As much for a request is what two workers should take.
      rows: [{ ...row, cpu: [] }],
      notes: [
        'The load shares both cores with the service: what it takes itself is missing from the second worker. A service that takes as much for a request with two workers as with one has lost nothing between them.',
      ],
    };
  },
};

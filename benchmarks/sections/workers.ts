import { join } from 'node:path';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import type { Measured } from '../results.ts';
import { type Contender, interleave, runsOf, throughputRow } from '../rounds.ts';
import { ratios } from '../statistics.ts';
import { folderWith, seededDatabase } from '../users.ts';

const users = 1_000;

const load: Contender['load'] = { operation: 'read', users, headers, connections: 64 };

const nameOf = (server: string, workers: number): string => `${server}, ${workers} worker${workers === 1 ? '' : 's'}`;

const latchkeyWith = (bench: Bench, database: string, workers: number): Contender => ({
  name: nameOf('Latchkey', workers),
  load,
  loadCores: 'both',
  prepare: () => {
    const server = { host: '127.0.0.1', port: 0, adminPort: 0, workers };
    return latchkey(folderWith(bench, 'workers', database), { server }, { cores: 'both' });
  },
});

/** Koa, which shows what a second process costs on this machine without anything of Latchkey. */
const koaWith = (bench: Bench, database: string, workers: number): Contender => ({
  name: nameOf('Koa', workers),
  load,
  loadCores: 'both',
  prepare: () => {
    const folder = folderWith(bench, 'koa-workers', database);
    const environment = { DATABASE: join(folder, 'users.db'), WORKERS: String(workers) };
    return { ...contender('koa-cluster', folder, environment), cores: 'both' };
  },
});

/** Time of both cores per request, in microseconds. */
const wholeMachine = ({ perSecond }: Measured): number => 2e6 / perSecond;

/** The gain of a second process. */
export const workers: Section = {
  name: 'workers',
  title: 'Two workers on two cores',
  explanation:
    'GET `/users` with `server.workers: 2`, compared with one worker, and the same with Koa. The service and the load generator share both cores.',
  run: async (bench) => {
    const skipped = (reason: string) => ({ contenders: [], figures: [], rows: [], notes: [`SKIPPED: ${reason}`] });
    if (bench.machine.cores < 2) return skipped('two workers need two cores.');
    const database = await seededDatabase(bench, users);
    const [one, two] = [latchkeyWith(bench, database, 1), latchkeyWith(bench, database, 2)];
    const [oneKoa, twoKoa] = [koaWith(bench, database, 1), koaWith(bench, database, 2)];
    const contenders = await interleave(bench, [one, two, oneKoa, twoKoa]);
    const cpuOf = ({ name }: Contender): readonly number[] => runsOf(contenders, name).map(({ cpu }) => cpu);
    const row = throughputRow(contenders, 'GET with two workers, relative to one', two.name, one.name, 1.7);
    const runs = runsOf(contenders, two.name);
    return {
      contenders,
      figures: [
        { name: 'both cores, per request with two workers', unit: 'µs', values: runs.map(wholeMachine) },
        { name: 'of which the service', unit: 'µs', values: runs.map(({ cpu }) => cpu) },
        {
          name: 'of which the load generator and other programs',
          unit: 'µs',
          values: runs.map((run) => wholeMachine(run) - run.cpu),
        },
        {
          name: 'CPU time per request of Koa with two workers, relative to one',
          unit: '',
          values: ratios(cpuOf(twoKoa), cpuOf(oneKoa)),
        },
      ],
      rows: [
        { ...row, cpu: [] },
        {
          name: 'CPU time per request with two workers, relative to one',
          limit: { kind: 'at most', value: 1.05, unit: '×' },
          values: ratios(cpuOf(two), cpuOf(one)),
          cpu: [],
        },
      ],
      notes: [
        'The load generator shares both cores with the service, so the second worker does not get a whole core. What the second worker of Koa costs, the machine takes; only more than that is overhead of Latchkey.',
      ],
    };
  },
};

import { setTimeout as delay } from 'node:timers/promises';
import type { Fault as GeneralFault } from '../failover/fault.ts';
import { type ServerPair, serviceCount } from './server-pair.ts';

type Fault = GeneralFault<ServerPair>;

/** How long a fault lasts until the standby is promoted: services rely on at least 3 s. */
const detectionMs = 3_500;

/** How long a former primary runs beside the one that replaced it. */
const besideMs = 3_000;

/** A fault that each service survives, because each of them can reach the new primary. */
const faultOf = (name: string, cause: Fault['cause']): Fault => ({
  name,
  rounds: { short: 1, long: 20 },
  services: Array.from({ length: serviceCount }, (_, service) => service),
  cause,
});

/** A cut of links; each round makes the next one of a list. */
interface Cut {
  readonly what: string;
  make(pair: ServerPair, primary: number): void;
}

const silenceServices = (
  pair: ServerPair,
  primary: number,
  ...silenced: Parameters<ServerPair['links'][0][0]['silence']>
) => {
  for (const links of pair.links) links[primary]!.silence(...silenced);
};

const cutsOfServices: readonly Cut[] = [
  { what: 'both ways', make: (pair, primary) => silenceServices(pair, primary) },
  { what: 'to the primary', make: (pair, primary) => silenceServices(pair, primary, ['requests']) },
  { what: 'from the primary', make: (pair, primary) => silenceServices(pair, primary, ['replies']) },
  { what: 'of the first service', make: (pair, primary) => pair.links[0]![primary]!.silence() },
];

export const faults: readonly Fault[] = [
  faultOf('SIGKILL of the primary and promotion of the standby', async (pair, primary) => {
    await pair.servers[primary]!.kill();
    await pair.promote(1 - primary);
    await pair.rebuild(primary);
    return 'SIGKILL';
  }),
  // Promotes the standby of a frozen primary, which resumes at once or later, while services look for it, and is stopped at last.
  faultOf('a frozen primary that resumes beside its promoted standby', async (pair, primary, round) => {
    // At once is the worst: a service that has not found the new primary yet gets replies of the former one.
    const resumedAfterMs = (round % 2) * 700;
    await pair.servers[primary]!.pause();
    await delay(detectionMs);
    await pair.promote(1 - primary);
    await delay(resumedAfterMs);
    await pair.servers[primary]!.resume();
    await delay(besideMs);
    await pair.servers[primary]!.kill();
    await pair.rebuild(primary);
    return `frozen, resumed ${resumedAfterMs} ms after the promotion`;
  }),
  // The operator stops the primary before the promotion.
  faultOf('a cut of links between services and primary, with a promotion', async (pair, primary, round) => {
    const { what, make } = cutsOfServices[round % cutsOfServices.length]!;
    make(pair, primary);
    await delay(detectionMs);
    await pair.servers[primary]!.kill();
    await pair.promote(1 - primary);
    await pair.restore();
    await pair.rebuild(primary);
    return `cut ${what}`;
  }),
  // The primary cannot be stopped, so that it is still there when the links are.
  faultOf('a primary cut off from everything, which returns beside its promoted standby,', async (pair, primary) => {
    silenceServices(pair, primary);
    for (const proxy of pair.replication) proxy.silence();
    await delay(detectionMs);
    await pair.promote(1 - primary);
    await delay(besideMs);
    await pair.restore();
    await delay(besideMs);
    await pair.servers[primary]!.kill();
    await pair.rebuild(primary);
    return 'isolated';
  }),
  // The former primary follows the new one without a copy, because a clean shutdown sends everything first.
  faultOf('an orderly switchover', async (pair, primary) => {
    await pair.servers[primary]!.stop('SIGINT');
    await pair.promote(1 - primary);
    await pair.rebuild(primary);
    return 'switchover';
  }),
  faultOf('a restart of the primary without a promotion', async (pair, primary, round) => {
    const isClean = round % 2 === 0;
    if (isClean) await pair.servers[primary]!.stop('SIGINT');
    else await pair.servers[primary]!.kill();
    await pair.start(primary);
    return isClean ? 'restart' : 'SIGKILL and restart';
  }),
];

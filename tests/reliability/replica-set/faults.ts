import { setTimeout as delay } from 'node:timers/promises';
import type { Fault as GeneralFault } from '../failover/fault.ts';
import { memberCount, serviceCount } from './links.ts';
import type { MemberSet } from './member-set.ts';

type Fault = GeneralFault<MemberSet>;

/** Longer than the timeout of an election, which is 10 s by default. */
const cutMs = 15_000;

/**
 * Shorter than that, but longer than a write waits for a majority (7.2 s): it gets 503, and is applied after the cut.
 */
const shortCutMs = 9_000;

const allServices = Array.from({ length: serviceCount }, (_, service) => service);
const allMembers = Array.from({ length: memberCount }, (_, member) => member);
const othersThan = (primary: number): readonly number[] => allMembers.filter((member) => member !== primary);

const stepDown: Fault = {
  name: 'a planned step-down of the primary',
  rounds: { short: 2, long: 20 },
  services: allServices,
  isPlanned: true,
  cause: async (set, primary) => {
    await set.stepDown(primary);
    return 'stepDown';
  },
};

/** The latency between members that are far apart, and how long writes run with it before the fault. */
const latencyMs = 200;
const latencyRunMs = 2_000;

/**
 * Delays the replies between all members: at any time there are writes that the primary has confirmed, but of which the
 * others do not know yet that a majority has them.
 */
const spreadMembers = async ({ links }: MemberSet): Promise<void> => {
  for (const member of allMembers)
    for (const other of othersThan(member)) links.slowDown({ member }, { member: other }, latencyMs);
  await delay(latencyRunMs);
};

/** A cut of links; each round makes the next one of a list. */
interface Cut {
  readonly what: string;
  /** Whether the members are far apart. */
  readonly isFarApart?: true;
  /** Default: `cutMs`. */
  readonly durationMs?: number;
  make(set: MemberSet, primary: number): void;
}

const cutFromPrimary: Cut['make'] = ({ links }, primary) => {
  for (const member of othersThan(primary)) links.cutOneWay({ member: primary }, { member });
};

/** Kills the primary. In every other round the members are far apart, and the links from it are cut a moment before. */
const kill: Fault = {
  name: 'SIGKILL of the primary',
  rounds: { short: 1, long: 20 },
  services: allServices,
  cause: async (set, primary, round) => {
    const others = othersThan(primary);
    const isFarApart = round % 2 === 0;
    if (isFarApart) {
      await spreadMembers(set);
      cutFromPrimary(set, primary);
      await delay(latencyMs);
    }
    await set.containers[primary]!.kill();
    await set.elected(others);
    if (isFarApart) await delay(latencyRunMs);
    await set.links.restore();
    await set.containers[primary]!.start();
    return isFarApart ? 'SIGKILL of a primary far from the others' : 'SIGKILL';
  },
};

/** Freezes the primary: its connections stay open without responses. */
const freeze = (seconds: number, short: number): Fault => ({
  name: `a primary that is frozen for ${seconds} s`,
  rounds: { short, long: 20 },
  services: allServices,
  cause: async (set, primary) => {
    await set.containers[primary]!.pause();
    try {
      await delay(seconds * 1_000);
    } finally {
      await set.containers[primary]!.resume();
    }
    return `freeze ${seconds} s`;
  },
});

const oneWayCuts: readonly Cut[] = [
  { what: 'from the primary to the others, far apart', isFarApart: true, make: cutFromPrimary },
  { what: 'from the primary to the others', make: cutFromPrimary },
  {
    what: 'from the others to the primary',
    make: ({ links }, primary) =>
      othersThan(primary).forEach((member) => {
        links.cutOneWay({ member }, { member: primary });
      }),
  },
  {
    what: 'from the primary to one other',
    make: ({ links }, primary) => links.cutOneWay({ member: primary }, { member: othersThan(primary)[0]! }),
  },
  {
    what: 'from one other to the primary',
    make: ({ links }, primary) => links.cutOneWay({ member: othersThan(primary)[0]! }, { member: primary }),
  },
];

const serviceCuts: readonly Cut[] = [
  {
    what: 'from the first service to the primary',
    make: ({ links }, member) => links.cutOneWay({ service: 0 }, { member }),
  },
  {
    what: 'from the primary to the first service',
    make: ({ links }, member) => links.cutOneWay({ member }, { service: 0 }),
  },
];

const cutPrimary: Cut['make'] = ({ links }, primary) => {
  for (const member of othersThan(primary)) links.cut({ member }, { member: primary });
};

const shortCut: Cut = {
  what: 'around the primary, too short for an election',
  durationMs: shortCutMs,
  make: cutPrimary,
};

const twoWayCuts: readonly Cut[] = [
  { what: 'between the primary and the others', make: cutPrimary },
  {
    what: 'between the primary and one other',
    make: ({ links }, primary) => links.cut({ member: othersThan(primary)[0]! }, { member: primary }),
  },
  {
    what: 'between the others',
    make: ({ links }, primary) => {
      const [one = 0, other = 0] = othersThan(primary);
      links.cut({ member: one }, { member: other });
    },
  },
];

const cuts = (name: string, list: readonly Cut[], settings: Pick<Fault, 'rounds' | 'services'>): Fault => ({
  name,
  ...settings,
  cause: async (set, primary, round) => {
    const { what, isFarApart = false, durationMs = cutMs, make } = list[round % list.length]!;
    if (isFarApart) await spreadMembers(set);
    make(set, primary);
    await delay(durationMs);
    await set.links.restore();
    return `cut ${what}`;
  },
});

const isolatedPrimary: Cut = {
  what: 'between the primary and everything else',
  make: ({ links }, primary) => {
    for (const member of othersThan(primary)) links.cut({ member }, { member: primary });
    for (const service of allServices) links.cut({ service }, { member: primary });
  },
};

const isolatedPrimaryAndService: Cut = {
  what: 'around the primary and the first service',
  make: ({ links }, primary) => {
    for (const member of othersThan(primary)) {
      links.cut({ member }, { member: primary });
      links.cut({ service: 0 }, { member });
    }
    for (const service of allServices.slice(1)) links.cut({ service }, { member: primary });
  },
};

/** Members that are far apart become the primary one after the other, before the last one knows what a majority has. */
const elections: Fault = {
  name: 'a series of elections',
  rounds: { short: 0, long: 20 },
  services: allServices,
  cause: async (set, primary) => {
    await spreadMembers(set);
    const [one = 0, other = 0] = othersThan(primary);
    for (const next of [one, other, primary, one, other, primary]) {
      await set.stepUp(next);
      await delay(latencyMs);
    }
    await set.links.restore();
    return 'elections';
  },
};

const rollingRestart: Fault = {
  name: 'a rolling restart',
  rounds: { short: 0, long: 20 },
  services: allServices,
  isPlanned: true,
  cause: async (set, primary) => {
    for (const member of [...othersThan(primary), primary]) {
      if (member === (await set.settled())) await set.stepDown(member);
      await set.settled();
      await set.containers[member]!.stop();
      await set.containers[member]!.start();
    }
    return 'rolling restart';
  },
};

export const faults: readonly Fault[] = [
  stepDown,
  kill,
  freeze(5, 1),
  freeze(15, 0),
  freeze(30, 0),
  cuts('a cut of links in one direction', oneWayCuts, { rounds: { short: 1, long: 20 }, services: allServices }),
  cuts('a cut of links in both directions', twoWayCuts, { rounds: { short: 0, long: 21 }, services: allServices }),
  cuts('a cut of links that ends before an election', [shortCut], {
    rounds: { short: 0, long: 20 },
    services: allServices,
  }),
  cuts('a one-way cut between a service and the primary', serviceCuts, {
    rounds: { short: 0, long: 20 },
    services: [1],
  }),
  cuts('a minority without a service', [isolatedPrimary], { rounds: { short: 0, long: 20 }, services: allServices }),
  cuts('a minority with a service', [isolatedPrimaryAndService], { rounds: { short: 0, long: 20 }, services: [1] }),
  elections,
  rollingRestart,
];

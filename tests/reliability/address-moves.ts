import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import { type Kill, kill, killDuringChanges } from './kill.ts';
import type { RandomStream } from './random.ts';

export const password = 'a password of the moves';

/** A user that alternates between two addresses. */
export interface Mover {
  /** The number of changes that the service acknowledged. */
  readonly moves: number;
  create(caller: Caller): Promise<void>;
  /** Changes the address until the service was killed. */
  move(caller: Caller, isKilled: () => boolean): Promise<void>;
  /** Checks that the user exists under exactly one address, which is one that it can have. */
  verify(caller: Caller): Promise<void>;
}

/** The only user that exists under one of the addresses. */
export const onlyUserUnder = async (caller: Caller, addresses: readonly string[]) => {
  const found: { readonly email: { readonly address: string }; readonly step: number }[] = [];
  for (const address of addresses) {
    const response = await caller.call('GET', at(address), undefined, { password });
    expect(response?.status, address).to.be.oneOf([200, 404]);
    if (response?.status !== 200) continue;
    found.push(JSON.parse(response.body));
    expect(found.at(-1)?.email.address).to.equal(address);
  }
  const [user, ...others] = found;
  if (user === undefined || others.length > 0)
    throw new Error(`${found.length} users instead of one under one address`);
  return user;
};

const movesOf = (movers: readonly Mover[]): number => movers.reduce((sum, mover) => sum + mover.moves, 0);

const killWhileMoving = async (serving: Serving, movers: readonly Mover[], chosen: Kill): Promise<void> => {
  const caller = new Caller(serving.url);
  let isKilled = false;
  const moving = movers.map((mover) => mover.move(caller, () => isKilled));
  const killing = killDuringChanges(serving.run.child, () => movesOf(movers), chosen).then(() => {
    isKilled = true;
  });
  await Promise.all([killing, ...moving]);
  caller.close();
  await serving.run.ended;
};

const all = async (serving: Serving, movers: readonly Mover[], step: 'create' | 'verify'): Promise<void> => {
  const caller = new Caller(serving.url);
  await Promise.all(movers.map((mover) => mover[step](caller)));
  caller.close();
};

/**
 * Kills the service once in each round while users change their addresses, and checks them after the next start.
 * Resolves with the number of acknowledged changes.
 */
export const killDuringMoves = async (
  database: Database,
  rounds: number,
  random: RandomStream,
  configuration: Readonly<Record<string, unknown>>,
  moversOf: (installation: Installation) => readonly Mover[],
): Promise<number> => {
  const installation = await Installation.create();
  const { yaml, dispose } = await database.open();
  try {
    await installation.configure({ database: yaml, ...configuration });
    const movers = moversOf(installation);
    let serving = await installation.serve();
    await all(serving, movers, 'create');
    for (let round = 0; round < rounds; round++) {
      await killWhileMoving(serving, movers, kill(random.stream('kill', round), 1, 1 + 2 * movers.length));
      serving = await installation.serve();
      await all(serving, movers, 'verify');
    }
    return movesOf(movers);
  } finally {
    await installation.dispose();
    await dispose();
  }
};

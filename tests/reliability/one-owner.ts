import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Caller } from './caller.ts';
import type { ReadableDatabase } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { kill, killDuringChanges } from './kill.ts';
import { by, NamedService, outcomeOf, type Parameter, password, readBy } from './named-users.ts';
import type { RandomStream } from './random.ts';

const clients = 64;

/** Of the kill: about the time in which the service answers all clients. */
const maxDelayMs = 150;

/** A client that wants the name of the round. */
interface Rival {
  readonly address: string;
  /** Sends the request; undefined without a response. */
  send(caller: Caller): Promise<string | undefined>;
}

/** What the clients of a round want, and how. */
interface Race {
  readonly parameter: Parameter;
  readonly value: string;
  readonly rivals: readonly Rival[];
  /** The outcomes of a request that the rival has won, also one that it repeats. */
  readonly won: readonly string[];
  readonly lost: string;
}

const sending =
  (method: string, path: string, body: object) =>
  async (caller: Caller): Promise<string | undefined> => {
    const response = await caller.call(method, path, body, { password });
    return response && outcomeOf(response);
  };

const bodyOf = (address: string, names: object): object => ({ email: { address }, password, ...names });

const addresses = (random: RandomStream): readonly string[] => Array.from({ length: clients }, () => random.address());

/** New users with one id or one username. */
const creations = (random: RandomStream, parameter: 'id' | 'username'): Race => {
  const value = `wanted-${random.uuid()}`;
  const rivals = addresses(random).map((address) => ({
    address,
    send: sending('POST', '/users', bodyOf(address, { [parameter]: value })),
  }));
  const lost = parameter === 'id' ? '409 id_taken' : '409 property_taken';
  return { parameter, value, rivals, won: ['201', '409 user_exists'], lost };
};

/** Users who change their usernames to the same one. */
const renamings = async (random: RandomStream, caller: Caller): Promise<Race> => {
  const value = `wanted-${random.uuid()}`;
  const rivals = addresses(random).map((address) => ({
    address,
    send: sending('PATCH', by('email', address), { username: value.toUpperCase() }),
  }));
  const created = rivals.map(({ address }) =>
    sending('POST', '/users', bodyOf(address, { username: `own-${address}` }))(caller),
  );
  for (const outcome of await Promise.all(created)) expect(outcome).to.equal('201');
  return { parameter: 'username', value, rivals, won: ['200'], lost: '409 property_taken' };
};

/**
 * A round lets many clients want one name, kills the service, and lets those without a response try again. Resolves with
 * their number.
 */
const race = async (
  service: NamedService,
  { parameter, value, rivals, won, lost }: Race,
  random: RandomStream,
): Promise<number> => {
  const outcomes = new Map<Rival, string>();
  const send = async (caller: Caller, rival: Rival): Promise<void> => {
    const outcome = await rival.send(caller);
    if (outcome === undefined) return;
    expect(outcome).to.be.oneOf([...won, lost]);
    outcomes.set(rival, outcome);
  };
  await service.useUntilKilled(async (caller, { run }) => {
    const sending = Promise.all(rivals.map((rival) => send(caller, rival)));
    // Not always after an answer, because a store may write what arrives together in one step, and answer all at once.
    if (random.chance(0.5)) await killDuringChanges(run.child, () => outcomes.size, kill(random, 0, clients / 2));
    else {
      await sleep(random.next() * maxDelayMs);
      run.child.kill('SIGKILL');
    }
    await sending;
  });
  const unanswered = rivals.filter((rival) => !outcomes.has(rival));
  return service.use(async (caller) => {
    await Promise.all(unanswered.map((rival) => send(caller, rival)));
    const winners = rivals.filter((rival) => outcomes.get(rival) !== lost);
    expect(winners, 'the owners of one name').to.have.length(1);
    const owner = await readBy(caller, parameter, value);
    expect(owner?.email.address).to.equal(winners[0]?.address);
    await service.check();
    return unanswered.length;
  });
};

/** A round is a race of 64 clients for one id or one username, in which the service is killed. */
export const oneOwner = (database: ReadableDatabase): Guarantee => ({
  name: `one of 64 clients on ${database.name} gets an id or a unique property that all want, also when the service is killed meanwhile`,
  rounds: { short: 3, long: 30 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const service = await NamedService.open(database);
    let unanswered = 0;
    try {
      for (let round = 0; round < rounds; round++) {
        const ofRound = random.stream('round', round);
        const kinds = [
          () => creations(ofRound, 'id'),
          () => creations(ofRound, 'username'),
          () => service.use((caller) => renamings(ofRound, caller)),
        ] as const;
        const next = await (kinds[round % kinds.length] ?? kinds[0])();
        unanswered += await race(service, next, ofRound);
      }
      return `${rounds} kills, ${rounds * clients} clients, ${unanswered} of them without a response at first, ${rounds} owners, ${service.names} names checked in the database`;
    } finally {
      await service.dispose();
    }
  },
});

import { expect } from 'chai';
import type { Caller } from './caller.ts';
import type { ReadableDatabase } from './databases.ts';
import type { Guarantee } from './guarantee.ts';
import { afterChanges, atSend, atStatement } from './kill.ts';
import { by, NamedService, outcomeOf, type Parameter, password, readBy } from './named-users.ts';
import type { RandomStream } from './random.ts';

const writers = 16;

/** The statements of SQLite that write a user and its names. */
const statements = [
  'INSERT INTO users',
  'UPDATE users',
  'DELETE FROM users WHERE key = ? AND version = ?',
  'INSERT INTO entries (name, holder)',
  'DELETE FROM entries WHERE name = ? AND holder = ?',
];

/** What a write on another database contains. */
const sent: Readonly<Record<string, readonly string[]>> = {
  MongoDB: ['\x02update\0', '\x02delete\0'],
  DynamoDB: ['.TransactWriteItems'],
  PostgreSQL: ['INSERT INTO', 'UPDATE', 'DELETE FROM'],
};

/** Fewer than writers, so that some are always refused. */
const usernames = Array.from({ length: 12 }, (_, index) => `name-${index}`);

/** What names a user. */
interface Named {
  readonly id: string;
  readonly address: string;
  readonly username: string | undefined;
}

type State = Named | 'absent';

/** A request, and the state after it. */
interface Change {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly next: State;
  readonly isMade: '200' | '201';
}

/** A client that creates a user, changes its address and username, and deletes it, again and again. */
class Writer {
  changes = 0;
  refused = 0;
  private state: State = 'absent';
  /** Requested, and not answered. */
  private pending: State | undefined;

  /** Changes the user until the service was killed. */
  async write(caller: Caller, random: RandomStream): Promise<void> {
    for (let step = 0; ; step++) {
      const { method, path, body, next, isMade } = this.nextChange(random.stream(step));
      this.pending = next;
      const response = await caller.call(method, path, body, { password });
      if (response === undefined) return;
      const outcome = outcomeOf(response);
      expect(outcome, method).to.be.oneOf([isMade, '409 property_taken']);
      this.pending = undefined;
      if (outcome === isMade) {
        this.state = next;
        this.changes++;
      } else this.refused++;
    }
  }

  /** Compares what the service finds by each name with the acknowledged and the requested state. */
  async verify(caller: Caller): Promise<void> {
    const { state, pending = state } = this;
    const known = [state, pending].filter((one) => one !== 'absent');
    const found = new Map<string, State>();
    for (const one of known) {
      const keys: readonly (readonly [Parameter, string | undefined])[] = [
        ['email', one.address],
        ['id', one.id],
        ['username', one.username],
      ];
      for (const [parameter, value] of keys) {
        if (value === undefined) continue;
        const user = await readBy(caller, parameter, value);
        // Another user may have the username meanwhile; its password is the same.
        if (user === undefined || !known.some(({ id }) => id === user.id)) continue;
        const { id, username, email } = user;
        found.set(JSON.stringify([id, email.address, username]), { id, address: email.address, username });
      }
    }
    expect([...found.keys()], 'the users of one writer').to.have.length.at.most(1);
    const [stored = 'absent' as const] = found.values();
    expect(stored, 'neither acknowledged nor requested').to.deep.be.oneOf([state, pending]);
    if (stored !== 'absent')
      for (const [parameter, value] of [
        ['email', stored.address],
        ['id', stored.id],
        ['username', stored.username],
      ] as const)
        if (value !== undefined) expect((await readBy(caller, parameter, value))?.id, parameter).to.equal(stored.id);
    this.state = stored;
    this.pending = undefined;
  }

  private nextChange(random: RandomStream): Change {
    const { state } = this;
    const username = random.pick([...usernames, undefined]);
    if (state === 'absent') {
      const next = { id: `usr_${random.uuid()}`, address: random.address(), username };
      return { method: 'POST', path: '/users', body: this.bodyOf(next), next, isMade: '201' };
    }
    const parameter = random.pick(['email', 'id'] as const);
    const path = by(parameter, parameter === 'id' ? state.id : state.address);
    if (random.chance(0.2)) return { method: 'DELETE', path, next: 'absent', isMade: '200' };
    const next = random.pick([
      { ...state, address: random.address() },
      { ...state, username },
      { ...state, address: random.address(), username },
    ]);
    return { method: 'PUT', path, body: this.bodyOf(next), next, isMade: '200' };
  }

  private bodyOf({ id, address, username }: Named): object {
    return { id, email: { address }, password, ...(username !== undefined && { username }) };
  }
}

const sum = (all: readonly Writer[], count: 'changes' | 'refused'): number =>
  all.reduce((total, writer) => total + writer[count], 0);

/**
 * A round kills the service while users are created, moved, renamed and deleted: on SQLite after changes, and again at a
 * statement; on other databases every second time at a write.
 */
export const killedNames = (database: ReadableDatabase): Guarantee => ({
  name: `users on ${database.name} and their ids and unique properties change together, also when the service is killed meanwhile`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 120_000,
  run: async (rounds, random) => {
    const service = await NamedService.open(database);
    try {
      const all = Array.from({ length: writers }, () => new Writer());
      const verifyAll = (caller: Caller) => Promise.all(all.map((writer) => writer.verify(caller)));
      const texts = sent[database.name];
      const kills = Array.from({ length: rounds }, (_, round) => {
        if (texts !== undefined && round % 2 === 1) return [atSend(random.stream('send', round), texts)];
        const killed = afterChanges(random.stream('kill', round), 1, 1 + 3 * writers);
        return texts === undefined ? [killed, atStatement(random.stream('statement', round), statements)] : [killed];
      }).flat();
      for (const [round, planned] of kills.entries())
        await service.useUntilKilled(async (caller, serving) => {
          await verifyAll(caller);
          const ofRound = random.stream('round', round);
          const writing = all.map((writer, index) => writer.write(caller, ofRound.stream(index)));
          await Promise.all([planned.killed(serving, () => sum(all, 'changes')), ...writing]);
        }, planned);
      await service.use(verifyAll);
      return `${kills.length} kills, ${sum(all, 'changes')} acknowledged changes, ${sum(all, 'refused')} refused because of a username, ${service.names} names checked in the database, each with its user`;
    } finally {
      await service.dispose();
    }
  },
});

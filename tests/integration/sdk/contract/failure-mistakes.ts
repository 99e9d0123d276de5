import { Fault } from '../../../../application/fault.ts';
import type { Reservation, StorePorts } from '../../../../application/ports/user-store.ts';
import { RemoteAdapter, type SimulatedServer } from './remote-store.ts';

/** A mistake in an adapter for a server that can fail, and the title of the test that finds it. */
export type FailureMistake = readonly [foundBy: string, mistake: () => RemoteAdapter];

/** An adapter that makes another Fault of an error. */
const withFault = (faultOf: (error: unknown, user: string) => unknown) => (): RemoteAdapter =>
  new (class extends RemoteAdapter {
    override toFault(error: unknown, user: string): unknown {
      return error instanceof Fault ? error : faultOf(error, user);
    }
  })();

/** An adapter that maps no errors of one port. */
const withoutFaultsOf = (port: keyof StorePorts) => (): RemoteAdapter =>
  new (class extends RemoteAdapter {
    override toFault(error: unknown, user: string, ofPort: keyof StorePorts): unknown {
      return ofPort === port ? error : super.toFault(error, user, ofPort);
    }
  })();

/** An adapter that looks for no write, and repeats those of one kind. */
const withRepeat = (): RemoteAdapter =>
  new (class extends RemoteAdapter {
    override afterLostReply<Outcome>(_: () => Promise<Outcome>, repeat: () => Promise<Outcome>) {
      return repeat();
    }
  })();

const isReservation = (outcome: unknown): outcome is Reservation =>
  typeof outcome === 'object' && outcome !== null && 'key' in outcome;

/** An adapter that reports another outcome of a write whose reply was lost. */
const withOutcome = (outcomeOf: (outcome: unknown) => unknown) => (): RemoteAdapter =>
  new (class extends RemoteAdapter {
    override async afterLostReply<Outcome>(found: () => Promise<Outcome>) {
      return outcomeOf(await found()) as Outcome;
    }
  })();

const outage = 'while the database refuses connections';
const hang = 'while the database does not respond';
const standby = 'while the database is a standby';

export const failureMistakes: Readonly<Record<string, FailureMistake>> = {
  'errors of the driver': [outage, withFault((error) => error)],
  'errors of the driver in the listing': [outage, withoutFaultsOf('listing')],
  'errors of the driver in the names': [outage, withoutFaultsOf('names')],
  'errors of the driver in the outbox': [outage, withoutFaultsOf('events')],
  'errors of the driver in the counter of attempts': [outage, withoutFaultsOf('attempts')],
  'a store that cannot be opened while the database is down': [
    outage,
    () =>
      new (class extends RemoteAdapter {
        override async open({ isDown }: SimulatedServer): Promise<void> {
          if (isDown) throw new Fault('store_unavailable', 'the server cannot be reached');
        }
      })(),
  ],
  'a Fault with another code': [outage, withFault(() => new Fault('store_rejected', 'the server cannot be reached'))],
  'a Fault with the text of the driver': [
    outage,
    withFault((error) => new Fault('store_unavailable', error instanceof Error ? error.message : '')),
  ],
  'a Fault with the text of its cause': [
    standby,
    () =>
      new (class extends RemoteAdapter {
        override refuseStandby(): void {
          const cause = new Error('the hot standby follows');
          throw new Fault('store_unavailable', `refused: ${cause.message}`, { cause });
        }
      })(),
  ],
  'a Fault with a connection string': [
    outage,
    withFault(() => new Fault('store_unavailable', 'cannot reach postgresql://latchkey:pass@host/db')),
  ],
  'a Fault with the name of the host': [
    outage,
    withFault(() => new Fault('store_unavailable', 'cannot reach db-7.internal')),
  ],
  'a Fault with the address of a user': [
    outage,
    withFault((_, user) => new Fault('store_unavailable', `the row of ${user} cannot be read`)),
  ],
  'a Fault without a text': [outage, withFault(() => new Fault('store_unavailable', ''))],
  'no timeout': [
    hang,
    () =>
      new (class extends RemoteAdapter {
        override limited<Result>(run: () => Promise<Result>): Promise<Result> {
          return this.withConnection(run);
        }
      })(),
  ],
  'no limit on waiting for a connection': [
    hang,
    () =>
      new (class extends RemoteAdapter {
        override limited<Result>(run: () => Promise<Result>): Promise<Result> {
          return this.withConnection(() => this.withTimeout(run()));
        }
      })(),
  ],
  'reads from a standby': [
    standby,
    () =>
      new (class extends RemoteAdapter {
        override refuseStandby(): void {}
      })(),
  ],
  'an insert that is not looked for after a lost reply': [
    'succeeds if it is an insert',
    () =>
      new (class extends RemoteAdapter {
        override async afterLostReply() {
          return undefined;
        }
      })(),
  ],
  'an insert that is repeated after a lost reply': ['succeeds if it is an insert', withRepeat],
  'an insert with names that is repeated after a lost reply': [
    'keeps its names, and is not refused because of them',
    withRepeat,
  ],
  'a reservation that is taken for a user after a lost reply': [
    'succeeds or has an unknown outcome if it is a reservation',
    withOutcome((outcome) => (isReservation(outcome) ? 'taken' : outcome)),
  ],
  'a reservation with another version after a lost reply': [
    'succeeds or has an unknown outcome if it is a reservation',
    withOutcome((outcome) => (isReservation(outcome) ? { ...outcome, version: 'another' } : outcome)),
  ],
  'a change that is repeated after a lost reply': ['succeeds if it is a change, also of the address', withRepeat],
  'a removal that is repeated after a lost reply': [
    'succeeds or has an unknown outcome if it is a removal',
    withRepeat,
  ],
};

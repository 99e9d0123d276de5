import { expect } from 'chai';
import { Fault } from '../../../../../application/fault.ts';
import type { ClaimedEvent, EventOutbox } from '../../../../../application/ports/event-outbox.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { mailRaces } from '../../../../support/mail-races.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

const queueOf = ({ events }: StorePorts): EventOutbox => {
  if (events === undefined) throw new Error('the store has no events');
  return events;
};

describe('PostgreSQL, with events', () => {
  const url = postgresqlUrl();
  let scratch: ScratchSchema;
  let warnings: object[];
  let queue: EventOutbox;
  beforeEach(async () => {
    warnings = [];
    const ignore = (): void => undefined;
    const log = { info: ignore, warn: (fields: object) => void warnings.push(fields), error: ignore };
    scratch = await ScratchSchema.create(url());
    queue = queueOf(await scratch.open({}, { log }));
    await queue.pending('receiver', 1);
  });
  afterEach(() => scratch.dispose());

  const idsOf = (events: readonly { readonly id: string }[]) => events.map(({ id }) => id);
  const eventOf = (id: string, time = 5) => ({ id, destination: 'receiver', time, body: '{}' });

  mailRaces('postgresql', async () => {
    const database = await ScratchSchema.create(url());
    const reopen = () => database.open();
    return { store: await reopen(), reopen, dispose: () => database.dispose() };
  });

  const beyond = ['-1', '8640000000000001', '9007199254740992', '9223372036854775807', '-9223372036854775808'];
  const damages = {
    time: beyond,
    attempts: ['2147483647'],
  };

  for (const [column, values] of Object.entries(damages))
    it(`claims at once the events after those with a damaged ${column}, and deletes these when they expire`, async () => {
      await queue.add([eventOf('5-good')]);
      for (const [index, value] of values.entries())
        await scratch.query(
          `INSERT INTO ${scratch.schema}.users_events (destination, id, time, body, due, attempts)
           SELECT 'receiver', '1-${index}-' || n, 1, '{}', 1, 0 FROM generate_series(1, 10) n;
           UPDATE ${scratch.schema}.users_events SET ${column} = ${value} WHERE id LIKE '1-${index}-%'`,
        );
      const damaged = 10 * values.length;
      const claimed = await queue.claim('receiver', 4, { now: 9, until: 10 });
      expect(idsOf(claimed)).to.deep.equal(['5-good']);
      expect(await queue.claim('receiver', 4, { now: 9, until: 10 })).to.deep.equal([]);
      for (const one of claimed) await queue.done(one);
      expect(await queue.pending('receiver', 1_000)).to.equal(damaged);
      for (let removed = 0; removed < damaged; removed += 10)
        expect(await queue.expire(Date.now() + 1, 10)).to.deep.equal(new Map([['receiver', 10]]));
      expect(await queue.pending('receiver', 1_000)).to.equal(0);
    });

  it('reports a damaged event once, and lists the others', async () => {
    await queue.add([eventOf('1', 1), eventOf('2'), eventOf('3')]);
    await scratch.query(`UPDATE ${scratch.schema}.users_events SET time = -1 WHERE id = '1'`);
    for (let poll = 0; poll < 3; poll++) {
      await queue.claim('receiver', 1, { now: 9, until: 10 });
      expect(idsOf((await queue.list('receiver', 10)).events)).to.deep.equal(['2', '3']);
    }
    expect(warnings).to.deep.equal([{ record: '1' }]);
  });

  it('claims the oldest of many events, or the newest where these are asked for', async () => {
    // Ids start with the time.
    await queue.add(Array.from({ length: 20 }, (_, n) => eventOf(String(n).padStart(2, '0'), n)));
    const lease = { now: 30, until: 99 };
    expect(idsOf(await queue.claim('receiver', 3, lease))).to.deep.equal(['00', '01', '02']);
    expect(idsOf(await queue.claim('receiver', 3, { ...lease, newestFirst: true }))).to.deep.equal(['17', '18', '19']);
  });

  it('claims events that no other transaction has locked, without waiting for these', async () => {
    await queue.add([eventOf('1', 1), eventOf('2', 2)]);
    const release = await scratch.lock(`SELECT FROM ${scratch.schema}.users_events WHERE id = '1' FOR UPDATE`);
    try {
      expect(idsOf(await queue.claim('receiver', 5, { now: 9, until: 10 }))).to.deep.equal(['2']);
    } finally {
      await release();
    }
    expect(idsOf(await queue.claim('receiver', 5, { now: 9, until: 10 }))).to.deep.equal(['1']);
  });

  it('stores an event once that is added again, and none again that was delivered meanwhile by its id', async () => {
    await queue.add([eventOf('1')]);
    const [claimed]: readonly ClaimedEvent[] = await queue.claim('receiver', 1, { now: 9, until: 20 });
    await queue.add([eventOf('1'), eventOf('2')]);
    expect((await queue.list('receiver', 10)).events).to.deep.equal([
      { ...claimed, due: 20 },
      { ...eventOf('2'), attempts: 0, due: 5, receipt: '2' },
    ]);
  });

  it('refuses events of which a trigger leaves one out, and stores none of them', async () => {
    await scratch.query(
      `CREATE FUNCTION ${scratch.schema}.leave_out() RETURNS trigger LANGUAGE plpgsql
         AS $$ BEGIN RETURN CASE WHEN NEW.id = '2' THEN NULL ELSE NEW END; END $$;
       CREATE TRIGGER leave_out BEFORE INSERT ON ${scratch.schema}.users_events
         FOR EACH ROW EXECUTE FUNCTION ${scratch.schema}.leave_out()`,
    );
    const outcome = await queue.add([eventOf('1'), eventOf('2')]).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Fault).with.property('code', 'store_rejected');
    expect(await queue.pending('receiver', 9)).to.equal(0);
  });

  it('lists from a position that a caller has made up', async () => {
    await queue.add([eventOf('1'), eventOf('2')]);
    for (const position of ['1\0', "1'", '1\\', '1\u0001'])
      expect(idsOf((await queue.list('receiver', 10, position)).events)).to.deep.equal(['2']);
  });
});

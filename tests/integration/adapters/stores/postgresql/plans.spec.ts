import { expect } from 'chai';
import { everyUser, type FieldCondition } from '../../../../../application/ports/user-listing.ts';
import type { StorePorts } from '../../../../../application/ports/user-store.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf, userOf } from '../../../../../sdk/contract/arbitraries.ts';
import { idOf } from '../../../../../sdk/contract/named-users.ts';
import { written } from '../../../../../sdk/contract/outcomes.ts';
import { eventually } from '../../../../support/eventually.ts';
import { postgresqlUrl } from '../../../../support/postgresql/index.ts';
import { ScratchSchema } from './scratch-schema.ts';

/** So many rows that the server would not read a whole table for lack of anything better to do. */
const many = 20_000;
const suffixes = ['', '_names', '_events', '_attempts'];

describe('the statements of the PostgreSQL store on large tables', () => {
  /** A pooler keeps the sessions, which report later what they have read. */
  const url = postgresqlUrl(false);
  let scratch: ScratchSchema;

  /** Fills all tables, and keeps the server from analyzing them by itself. */
  before(async () => {
    scratch = await ScratchSchema.create(url());
    const store = await scratch.open();
    await store.users.check();
    const { schema } = scratch;
    for (const suffix of suffixes)
      await scratch.query(`ALTER TABLE ${schema}.users${suffix} SET (autovacuum_enabled = off)`);
    const rows = `generate_series(1, ${many}) n`;
    await scratch.query(
      `INSERT INTO ${schema}.users (key, version, address, verified, password, creation_time, last_update_time, properties)
         SELECT address, 'v', address, true, 'a', 1700000000000 + n, 1700000000000 + n, '{"n":' || n || '}'
         FROM (SELECT n, 'user-' || md5(n::text) || '@example.com' AS address FROM ${rows}) filler;
       INSERT INTO ${schema}.users_names (name, key) SELECT convert_to('id ' || version || key, 'UTF8'), key FROM ${schema}.users;
       INSERT INTO ${schema}.users_events SELECT 'mail', n || '-' || md5(n::text), 1700000000000 + n, '{}', 1700000000000 + n, 0
         FROM generate_series(1, ${5 * many}) n;
       INSERT INTO ${schema}.users_attempts SELECT 'user ' || md5(n::text), 1, 4000000000000 FROM ${rows}`,
    );
  });
  after(() => scratch.dispose());

  /** Every call whose time must not grow with the tables. */
  const useAll = async ({ users, names, listing, events, attempts }: StorePorts): Promise<void> => {
    const [name, other] = [idOf('one'), idOf('other')];
    const event = { id: `${Date.now()}`, destination: 'mail', time: 1_700_000_000_000, body: '{}' };
    const stored = written(await users.insert(userOf('ada@example.com'), { names: [name], events: [event] }));
    await Promise.all([users.find(keyOf(addressOf('ada@example.com'))), names?.find(name)]);
    const reserved = [await users.reserve(keyOf(addressOf('bea@example.com'))), await users.reserve(other)];
    const reservations = reserved.filter((reservation) => reservation !== 'taken');
    expect(await users.insert(userOf('ada@example.com'), { names: [name] })).to.have.property('taken');
    const moved = written(await users.replace(stored, userOf('bea@example.com'), { names: [other], reservations }));
    expect(await users.remove(moved)).to.equal('removed');
    const conditions: readonly FieldCondition[] = [{ field: 'verified', test: 'equals', value: false }];
    const property = { name: 'n', value: '7' };
    for (const filter of [{}, { address: 'user-' }, { addressContains: 'fff' }, { conditions }, { property }])
      for (const after of [undefined, 'user-7']) await listing?.list({ ...everyUser, ...filter, limit: 20, after });
    const lease = { now: Date.now(), until: Date.now() + 60_000 };
    const [claimed, next] = (await events?.claim('mail', 10, lease)) ?? [];
    await events?.claim('mail', 10, { ...lease, newestFirst: true });
    if (claimed !== undefined) await events?.done(claimed);
    if (next !== undefined) await events?.postpone(next, Date.now());
    await events?.list('mail', 10);
    const counter = await attempts?.({ failures: 3, clientFailures: 3, windowMs: 60_000, blockMs: 60_000 });
    const attempt = { user: 'ada@example.com', client: '192.0.2.1' };
    await counter?.recordFailure(attempt);
    await counter?.status(attempt);
  };

  /** How often each of the large tables was read as a whole, how many rows were read by an index, and how many written. */
  const usage = async () => {
    const rows = await scratch.query(
      `SELECT * FROM pg_stat_user_tables WHERE schemaname = '${scratch.schema}' AND n_live_tup > 1000 ORDER BY relname`,
    );
    return rows.map((row) => ({
      relname: String(row.relname),
      seqScans: Number(row.seq_scan),
      fetched: Number(row.idx_tup_fetch),
      written: Number(row.n_tup_ins) + Number(row.n_tup_upd),
    }));
  };

  for (const [state, isAnalyzed] of Object.entries({ 'without statistics': false, 'with statistics': true }))
    it(`use the indexes ${state}`, async () => {
      for (const suffix of isAnalyzed ? suffixes : []) await scratch.query(`ANALYZE ${scratch.schema}.users${suffix}`);
      const before = await usage();
      expect(before).to.have.lengthOf(4);
      const store = await scratch.open();
      await useAll(store);
      await store.users.close();
      // Sessions report what they have read when they end.
      await eventually(async () => {
        for (const [index, { relname, written }] of (await usage()).entries())
          expect(written, relname).to.be.above(before[index]?.written ?? 0);
      }, 5_000);
      for (const [index, { relname, seqScans, fetched }] of (await usage()).entries()) {
        expect(seqScans, relname).to.equal(before[index]?.seqScans);
        expect(fetched - (before[index]?.fetched ?? 0), relname).to.be.below(many);
      }
    });
});

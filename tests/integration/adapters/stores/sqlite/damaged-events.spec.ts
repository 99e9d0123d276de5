import Database from 'better-sqlite3';
import { expect } from 'chai';
import { TemporaryDatabase } from './temporary-database.ts';

describe('SQLite, with damaged events', () => {
  let database: TemporaryDatabase;
  beforeEach(async () => {
    database = await TemporaryDatabase.create();
  });
  afterEach(() => database.dispose());

  const beyond = [9_007_199_254_740_992n, 9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n];

  /** Stores 30 events for each damaged value, all due before any other. */
  const damage = (column: 'time' | 'attempts'): void => {
    const file = new Database(database.path);
    const insert = file.prepare(
      "INSERT INTO events (destination, id, time, body, due, attempts) VALUES ('receiver', ?, ?, '{}', 1, ?)",
    );
    for (const [index, value] of beyond.entries())
      for (let n = 0; n < 30; n++)
        insert.run(`1-${index}-${n}`, column === 'time' ? value : 1, column === 'time' ? 0 : value);
    file.close();
  };

  for (const column of ['attempts', 'time'] as const)
    it(`claims at once the events after those with a damaged ${column}, and deletes these when they expire`, async () => {
      const { events: queue } = await database.openPorts();
      await queue?.add([{ id: '5-good', destination: 'receiver', time: 5, body: '{}' }]);
      damage(column);
      const claimed = await queue?.claim('receiver', 4, { now: 9, until: 10 });
      expect(claimed?.map(({ id }) => id)).to.deep.equal(['5-good']);
      for (const one of claimed ?? []) await queue?.done(one);
      expect(await queue?.pending('receiver', 1_000)).to.equal(90);
      for (let removed = 0; removed < 90; removed += 10)
        expect(await queue?.expire(2, 10)).to.deep.equal(new Map([['receiver', 10]]));
      expect(await queue?.pending('receiver', 1_000)).to.equal(0);
    });
});

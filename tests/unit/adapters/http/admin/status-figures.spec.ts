import { expect } from 'chai';
import { right } from 'fp-ts/lib/Either.js';
import { StatusFigures } from '../../../../../adapters/http/admin/administration/pages/status-figures.ts';
import { QueryBus } from '../../../../../application/bus.ts';
import { Fault } from '../../../../../application/fault.ts';

/** The figures of a service with one user, how often they were read, and its database. */
const figuresWith = (countsPasswords: boolean) => {
  const database = { answers: true, reads: 0 };
  const handle = async () => {
    database.reads++;
    if (!database.answers) throw new Fault('store_unavailable', 'no answer');
    return right({ users: [], next: undefined, total: { count: 1, isExact: true } });
  };
  const queries = new QueryBus({ ListUsers: { handle } }, (_, next) => next());
  const figures = new StatusFigures(queries, { countsPasswords, queuesMails: false });
  return { database, read: async () => [...(await figures.read()).values()] };
};

describe('the figures of the index', () => {
  it('say whether blocked users are counted', async () => {
    expect(await figuresWith(true).read()).to.deep.equal(['1 user, blocked now: 0']);
    expect(await figuresWith(false).read()).to.deep.equal(['1 user, blocked now: not counted']);
  });

  it('are shown again for a while, unless the database did not answer', async () => {
    const { database, read } = figuresWith(true);
    database.answers = false;
    expect(await read()).to.deep.equal(['not known: the database does not answer']);
    database.answers = true;
    const shown = await read();
    expect(shown).to.deep.equal(['1 user, blocked now: 0']);
    const { reads } = database;
    database.answers = false;
    expect(await read()).to.deep.equal(shown);
    expect(database.reads).to.equal(reads);
  });
});

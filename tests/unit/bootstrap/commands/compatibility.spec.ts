import { expect } from 'chai';
import { Compatibility, compared, type Needs } from '../../../../bootstrap/commands/compatibility.ts';

const former: Compatibility = {
  version: '0.9.0',
  stores: {
    mongodb: { knows: 2, writes: 1, writesWithNames: 2, isShared: true },
    sqlite: { knows: 11, writes: 11, writesWithNames: 11, isShared: false },
  },
  ports: { UserStore: 3, Mailer: 2 },
  fields: ['address', 'password'],
  mails: ['verification'],
  options: ['auth', 'auth.keys', 'auth.keys[].secret', 'email.pages.locales.<tag>.done', 'server.port'],
};

/** A later version, whose number has more digits. */
const later: Compatibility = { ...former, version: '0.10.0' };

const needs: Needs = { database: 'mongodb', keepsNames: false, ports: [], document: {} };

const lines = (own: Compatibility, other: Compatibility, changes: Partial<Needs> = {}): readonly string[] =>
  compared(own, other, { ...needs, ...changes }).map(({ mark, text }) => `${mark} ${text}`);

const storing = (format: number): Compatibility => ({
  ...later,
  stores: { ...later.stores, mongodb: { knows: format, writes: 2, writesWithNames: format, isShared: true } },
});

describe('two versions on one database', () => {
  it('can be exchanged one by one where the former knows what the later writes, whichever of them asks', () => {
    const possible = [
      'ok rolling upgrade from 0.9.0 to 0.10.0: possible: 0.10.0 writes format 2 of mongodb, which 0.9.0 knows',
      'ok way back from 0.10.0 to 0.9.0: possible: 0.10.0 writes format 2 of mongodb, which 0.9.0 knows',
    ];
    expect(lines(former, storing(3))).to.deep.equal(possible);
    expect(lines(storing(3), former)).to.deep.equal(possible);
  });

  it('have to be exchanged as a whole where the database belongs to one instance', () => {
    expect(lines(former, later, { database: 'sqlite' })).to.deep.equal([
      'warn rolling upgrade from 0.9.0 to 0.10.0: stop 0.9.0 first: sqlite belongs to one instance',
      'ok way back from 0.10.0 to 0.9.0: possible: 0.10.0 writes format 11 of sqlite, which 0.9.0 knows',
    ]);
  });

  it('cannot where it does not, as with ids', () => {
    const why = '0.10.0 writes format 3 of mongodb, and 0.9.0 refuses more than 2';
    expect(lines(former, storing(3), { keepsNames: true })).to.deep.equal([
      `FAIL rolling upgrade from 0.9.0 to 0.10.0: not possible: ${why}; stop all instances first`,
      `FAIL way back from 0.10.0 to 0.9.0: not possible without the backup from before the upgrade: ${why}`,
    ]);
  });

  it('cannot where the later refuses what the former writes', () => {
    expect(lines(storing(3), { ...former, version: '1.0.0' }, { keepsNames: true })).to.deep.equal([
      'FAIL upgrade from 0.10.0 to 1.0.0: not possible: 0.10.0 writes format 3 of mongodb, and 1.0.0 refuses more than 2',
    ]);
  });

  it('are a former and a later one by Semantic Versioning, so that a prerelease comes before its release', () => {
    const [prerelease] = lines({ ...storing(3), version: '0.10.0-rc.10' }, { ...storing(3), version: '0.10.0' });
    expect(prerelease).to.include('from 0.10.0-rc.10 to 0.10.0');
    expect(lines({ ...later, version: '0.10.0-rc.10' }, { ...later, version: '0.10.0-rc.9' })[0]).to.include(
      'from 0.10.0-rc.9 to 0.10.0-rc.10',
    );
    expect(Compatibility.is({ ...later, version: '0.10' })).to.equal(false);
  });

  it('say nothing about the store of another package, but whether its port is another one', () => {
    const found = lines(
      former,
      { ...later, ports: { UserStore: 4, Mailer: 2 } },
      {
        database: 'module',
        ports: ['UserStore', 'Mailer'],
      },
    );
    expect(found.map((line) => line.split(':')[0])).to.deep.equal([
      'FAIL rolling upgrade from 0.9.0 to 0.10.0',
      'FAIL way back from 0.10.0 to 0.9.0',
      'FAIL adapters of UserStore',
    ]);
    expect(found[2]).to.equal('FAIL adapters of UserStore: 0.10.0 needs version 4 of the port');
  });

  it('name the keys of the configuration that the other one refuses, and no others', () => {
    const document = {
      auth: { keys: [{ secret: 'private' }, { secret: 'private' }] },
      email: { pages: { locales: { fr: { done: 'private' } } } },
      server: { port: 1, unknown: 2 },
    };
    const other = { ...later, options: ['auth', 'auth.keys', 'server.port'] };
    expect(lines(former, other, { document }).slice(2)).to.deep.equal([
      'FAIL configuration: 0.10.0 refuses auth.keys[].secret',
      'FAIL configuration: 0.10.0 refuses email.pages.locales.fr.done',
    ]);
    expect(lines(other, former, { document }).slice(2)).to.deep.equal([]);
  });

  it('warn of fields that either does not know, and of mails that the former does not', () => {
    const other = { ...later, fields: ['address', 'phone'], mails: ['verification', 'greeting'] };
    expect(lines(former, other).slice(2)).to.deep.equal([
      'warn 0.9.0 may drop of users whom it changes: phone',
      'warn 0.10.0 may drop of users whom it changes: password',
      'warn 0.9.0 does not send queued mails of: greeting',
    ]);
  });
});

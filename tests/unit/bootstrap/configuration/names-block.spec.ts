import { expect } from 'chai';
import { namingOf } from '../../../../bootstrap/features/names-block.ts';
import { configured, database, problemsOf } from './read-configuration.ts';

const allowing = (...entries: readonly string[]): string =>
  `${database}\nproperties: {allowed: [${entries.map((entry) => `{${entry}}`).join(', ')}]}`;

describe('what users are found by besides the address', () => {
  it('is nothing by default', async () => {
    expect((await configured(database)).users).to.eql({ ids: false, deleteUnverifiedAfter: null });
    expect(namingOf(await configured(database))).to.equal(undefined);
    expect(namingOf(await configured(allowing('name: age, type: integer')))).to.equal(undefined);
  });

  it('is an id, unique properties, or both', async () => {
    const ids = `users: {ids: true}`;
    const withIds = { ids: true, unique: [], mailboxes: false, path: 'users.ids' };
    expect(namingOf(await configured(`${database}\n${ids}`))).to.eql(withIds);
    const file = allowing('name: username, type: string, unique: true, fold: username', 'name: age, type: integer');
    const username = { name: 'username', type: 'string', unique: true, fold: 'username' };
    expect(namingOf(await configured(file))).to.deep.include({ ids: false, unique: [username] });
    expect(namingOf(await configured(`${file}\n${ids}`))).to.deep.include({ ids: true, unique: [username] });
  });

  it('is refused where it cannot work, with what to write', async () => {
    const cases = [
      ['name: a, type: string, fold: caseless', 'fold: needs unique: true'],
      ['name: a, type: list, unique: true', 'type: expected string or integer, because it is unique'],
      ['name: a, type: integer, unique: true, fold: caseless', 'fold: expected exact, because it is an integer'],
      [
        'name: a b, type: string, unique: true',
        'name: expected 1 to 64 ASCII letters, digits and _ - . after a letter, because it is unique',
      ],
      [
        'name: token, type: string, unique: true',
        'name: is a parameter of requests, so that it cannot be unique; rename it',
      ],
      ['name: a, type: string, unique: true, fold: lower', 'fold: expected one of exact, caseless, username'],
    ] as const;
    for (const [entry, problem] of cases)
      expect(await problemsOf(allowing(entry)), entry).to.eql([`properties.allowed[0].${problem}`]);
  });

  it('has no property twice, and at most five', async () => {
    const entry = 'name: a, type: string, unique: true';
    expect(await problemsOf(allowing(entry, 'name: a, type: integer'))).to.eql([
      'properties.allowed[0].name: is there twice, so that it cannot be unique',
    ]);
    const many = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `name: ${name}, type: string, unique: true`);
    await configured(allowing(...many.slice(1)));
    expect(await problemsOf(allowing(...many))).to.eql(['properties.allowed: expected at most 5 with unique: true']);
  });

  it('has no custom property of two types', async () => {
    await configured(allowing('name: a, type: string', 'name: a, type: string'));
    expect(await problemsOf(allowing('name: a, type: string', 'name: a, type: list'))).to.eql([
      'properties.allowed[1].type: differs from an earlier entry with this name',
    ]);
  });

  it('has no custom property called id beside the id', async () => {
    const file = allowing('name: id, type: string');
    await configured(file);
    expect(await problemsOf(`${file}\nusers: {ids: true}`)).to.eql([
      'properties.allowed[0].name: is a member of every user with users.ids; remove it, and latchkey ids keeps the values',
    ]);
  });
});

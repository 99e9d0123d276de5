import { expect } from 'chai';
import { asProperties, breaches, CustomProperties, noProperties } from '../../../domain/custom-properties.ts';

const values: Readonly<Record<string, unknown>> = {
  text: 'a',
  empty: '',
  whole: 3,
  zero: 0,
  fraction: 3.5,
  yes: true,
  no: false,
  list: [1],
  nothingListed: [],
  map: { a: 1 },
  nothingMapped: {},
  null: null,
};

/** Which of the values each type takes. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  string: ['text', 'empty'],
  integer: ['whole', 'zero'],
  double: ['whole', 'zero', 'fraction'],
  boolean: ['yes', 'no'],
  list: ['list', 'nothingListed'],
  map: ['map', 'nothingMapped'],
  object: Object.keys(values),
  'no such type': Object.keys(values),
  constructor: Object.keys(values),
  __proto__: Object.keys(values),
  String: Object.keys(values),
};

const propertiesOf = (value: Readonly<Record<string, unknown>>) => asProperties(JSON.stringify(value));
const rules = (allowSubset: boolean, allowSuperset: boolean, types: Readonly<Record<string, string>>) => ({
  allowSubset,
  allowSuperset,
  allowed: Object.entries(types).map(([name, type]) => ({ name, type })),
});

describe('rules for custom properties', () => {
  describe('types', () => {
    for (const [type, takes] of Object.entries(accepted)) {
      for (const [name, value] of Object.entries(values)) {
        const ok = takes.includes(name);
        it(`${type} ${ok ? 'accepts' : 'refuses'} ${JSON.stringify(value)}`, () => {
          for (const [subset, superset] of [
            [true, true],
            [true, false],
            [false, true],
            [false, false],
          ] as const) {
            const broken = breaches(rules(subset, superset, { it: type }), propertiesOf({ it: value }));
            expect(broken.map(({ path }) => path)).to.deep.equal(ok ? [] : ['it']);
          }
        });
      }
    }
  });

  describe('extra and missing properties', () => {
    const types = { name: 'string', age: 'integer' };
    const complete = { name: 'Jane', age: 40 };

    for (const [allowSubset, allowSuperset] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      describe(`allowSubset ${allowSubset}, allowSuperset ${allowSuperset}`, () => {
        const given = rules(allowSubset, allowSuperset, types);
        const paths = (value: Readonly<Record<string, unknown>>) =>
          breaches(given, propertiesOf(value)).map(({ path }) => path);

        it('accepts exactly what is specified', () => expect(paths(complete)).to.deep.equal([]));
        it('refuses a wrong type', () => expect(paths({ ...complete, age: '40' })).to.deep.equal(['age']));
        it(`${allowSubset ? 'accepts' : 'refuses'} a missing one`, () => {
          expect(paths({ name: 'Jane' })).to.deep.equal(allowSubset ? [] : ['age']);
          expect(paths({})).to.deep.equal(allowSubset ? [] : ['name', 'age']);
        });
        it(`${allowSuperset ? 'accepts' : 'refuses'} an extra one`, () => {
          expect(paths({ ...complete, extra: 1 })).to.deep.equal(allowSuperset ? [] : ['extra']);
        });
        it('names everything that is wrong at once', () => {
          expect(paths({ age: 'x', extra: 1 })).to.deep.equal([
            ...(allowSubset ? [] : ['name']),
            'age',
            ...(allowSuperset ? [] : ['extra']),
          ]);
        });
      });
    }

    it('takes an empty list of allowed properties at its word', () => {
      expect(breaches(rules(true, false, {}), noProperties)).to.deep.equal([]);
      expect(breaches(rules(true, false, {}), propertiesOf({ a: 1 }))).to.have.length(1);
      expect(breaches(rules(false, true, {}), propertiesOf({ a: 1 }))).to.deep.equal([]);
    });

    it('does not take an inherited member for a property', () => {
      const broken = breaches(rules(false, true, { toString: 'object' }), noProperties);
      expect(broken).to.deep.equal([{ path: 'toString', message: 'is required' }]);
    });
  });

  it('says what is expected, and never what was given', () => {
    const broken = breaches(
      rules(false, false, { a: 'map', b: 'list' }),
      propertiesOf({ a: 'a secret', c: 'a secret' }),
    );
    expect(broken).to.deep.equal([
      { path: 'a', message: 'must be a map' },
      { path: 'b', message: 'is required' },
      { path: 'c', message: 'is not an allowed property' },
    ]);
  });
});

describe('custom properties', () => {
  it('are the text of an object', () => {
    expect(CustomProperties.is('{"a":1}')).to.equal(true);
    for (const other of ['[]', '"{}"', 'null', '', 1, {}]) expect(CustomProperties.is(other)).to.equal(false);
    expect(() => asProperties('[]')).to.throw(TypeError);
  });
});

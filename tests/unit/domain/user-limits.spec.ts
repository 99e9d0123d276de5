import { expect } from 'chai';
import { propertyErrors } from '../../../domain/user-limits.ts';

const values: Readonly<Record<string, unknown>> = {
  text: 'a',
  empty: '',
  whole: 3,
  zero: 0,
  fraction: 3.5,
  beyond: 2 ** 53,
  far: -1e17,
  yes: true,
  no: false,
  list: [1],
  nothingListed: [],
  map: { a: 1 },
  nothingMapped: {},
  null: null,
};

/** The values that each type accepts. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  string: ['text', 'empty'],
  integer: ['whole', 'zero'],
  double: ['whole', 'zero', 'fraction', 'beyond', 'far'],
  boolean: ['yes', 'no'],
  list: ['list', 'nothingListed'],
  map: ['map', 'nothingMapped'],
  object: Object.keys(values),
  'no such type': Object.keys(values),
  constructor: Object.keys(values),
  __proto__: Object.keys(values),
  String: Object.keys(values),
};

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
            const errors = propertyErrors(rules(subset, superset, { it: type }), { it: value });
            expect(errors.map(({ path }) => path)).to.deep.equal(ok ? [] : ['it']);
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
          propertyErrors(given, value).map(({ path }) => path);

        it('accepts exactly what is specified', () => expect(paths(complete)).to.deep.equal([]));
        it('refuses a wrong type', () => expect(paths({ ...complete, age: '40' })).to.deep.equal(['age']));
        it(`${allowSubset ? 'accepts' : 'refuses'} a missing one`, () => {
          expect(paths({ name: 'Jane' })).to.deep.equal(allowSubset ? [] : ['age']);
          expect(paths({})).to.deep.equal(allowSubset ? [] : ['name', 'age']);
        });
        it(`${allowSuperset ? 'accepts' : 'refuses'} an extra one`, () => {
          expect(paths({ ...complete, extra: 1 })).to.deep.equal(allowSuperset ? [] : ['extra']);
        });
        it('reports all errors at once', () => {
          expect(paths({ age: 'x', extra: 1 })).to.deep.equal([
            ...(allowSubset ? [] : ['name']),
            'age',
            ...(allowSuperset ? [] : ['extra']),
          ]);
        });
      });
    }

    it('allows no properties with an empty list', () => {
      expect(propertyErrors(rules(true, false, {}), {})).to.deep.equal([]);
      expect(propertyErrors(rules(true, false, {}), { a: 1 })).to.have.length(1);
      expect(propertyErrors(rules(false, true, {}), { a: 1 })).to.deep.equal([]);
    });

    it('does not count an inherited member as a property', () => {
      const errors = propertyErrors(rules(false, true, { toString: 'object' }), {});
      expect(errors).to.deep.equal([{ path: 'toString', message: 'is required' }]);
    });
  });

  it('name what is expected and never a value', () => {
    const errors = propertyErrors(rules(false, false, { a: 'map', b: 'list' }), { a: 'a secret', c: 'a secret' });
    expect(errors).to.deep.equal([
      { path: 'a', message: 'must be a map' },
      { path: 'b', message: 'is required' },
      { path: 'c', message: 'is not an allowed property' },
    ]);
  });
});

import { expect } from 'chai';
import * as fc from 'fast-check';
import { propertyValues } from '../arbitraries.ts';
import { type Client, newAddress, newPassword } from './client.ts';
import type { Harness } from './harness.ts';

const isLossy = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

/** Accepted custom properties, without integers that a double cannot represent. */
const acceptable = propertyValues.map(
  (values): Readonly<Record<string, unknown>> =>
    JSON.parse(JSON.stringify(values), (_, value) => (isLossy(value) ? 0 : value)),
);

const whitespace = fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 4 });

/** JSON with white space in all allowed places. */
const spread = (value: unknown, space: () => string): string => {
  const wrap = (text: string): string => `${space()}${text}${space()}`;
  if (Array.isArray(value)) return wrap(`[${value.map((item) => spread(item, space)).join(',') || space()}]`);
  if (typeof value !== 'object' || value === null) return wrap(JSON.stringify(value));
  const members = Object.entries(value).map(([name, item]) => `${wrap(JSON.stringify(name))}:${spread(item, space)}`);
  return wrap(`{${members.join(',') || space()}}`);
};

const kept = (harness: Harness): void => {
  it('are returned exactly, in order, from POST, GET, PUT and DELETE', async () => {
    const { client } = await harness.service();
    const property = fc.asyncProperty(acceptable, async (values) => {
      const fixed = { email: { address: newAddress() }, password: newPassword() };
      const account = { address: fixed.email.address, password: fixed.password };
      const created = await client.post('/users', { body: { ...fixed, ...values } });
      const updated = await client.put('/users', { body: { ...values, ...fixed }, password: fixed.password });
      const removed = await client.delete('/users', { query: { email: account.address }, password: account.password });
      for (const response of [created, updated, removed]) {
        expect(response.properties).to.deep.equal(values);
        expect(Object.keys(response.properties)).to.deep.equal(Object.keys(values));
      }
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('are not changed by white space in the body', async () => {
    const { client } = await harness.service();
    const property = fc.asyncProperty(acceptable, fc.infiniteStream(whitespace), async (values, spaces) => {
      const space = (): string => spaces.next().value ?? '';
      const body = { email: { address: newAddress() }, password: newPassword(), ...values };
      const response = await client.post('/users', { raw: spread(body, space) });
      expect(response.status, response.text).to.equal(201);
      expect(response.properties).to.deep.equal(values);
    });
    await fc.assert(property, { numRuns: 50 });
  });

  it('keep the notation of numbers, and of strings', async () => {
    const { client } = await harness.service();
    const members = '"a":1.10,"b":1E5,"c":-0,"d":"\\u0041\\/","e":"\\ud800","f":0.1,"g":123456789012345678.5';
    const [address, password] = [newAddress(), newPassword()];
    await client.post('/users', { raw: `{"email":{"address":"${address}"},"password":"${password}",${members}}` });
    expect((await client.read({ address, password })).text).to.include(`,${members}}`);
  });

  it('may have names of inherited properties, and names with a meaning in databases', async () => {
    const { client } = await harness.service();
    const properties = { constructor: 1, toString: 2, hasOwnProperty: 3, $set: { $inc: 1 }, 'a.b': 4, _id: 5, '': 6 };
    const account = await client.create({ properties });
    expect((await client.read(account)).properties).to.deep.equal(properties);
  });
};

const values: Readonly<Record<string, readonly [accepted: readonly unknown[], refused: readonly unknown[]]>> = {
  string: [
    ['', 'text'],
    [1, true, [], {}, null],
  ],
  integer: [
    [3, -3, 0, 2 ** 53 - 1],
    [3.5, '3', true, null],
  ],
  double: [
    [3, 3.5, 1e308],
    ['3', false, null],
  ],
  boolean: [
    [true, false],
    ['true', 0, null],
  ],
  list: [
    [[], [1, 'a']],
    [{}, 'a', null],
  ],
  map: [
    [{}, { a: 1 }],
    [[], 'a', null],
  ],
  object: [['a', 3.5, true, [], {}, null], []],
  'no such type': [['a', null, []], []],
};

const rulesOf = (allowSubset: boolean, allowSuperset: boolean) => ({
  properties: {
    allowSubset,
    allowSuperset,
    allowed: [
      { name: 'name', type: 'string' },
      { name: 'age', type: 'integer' },
    ],
  },
});

/** Whether POST and PUT accept the properties; both must agree. */
const accepts = async (client: Client, initial: object, properties: object): Promise<readonly string[] | true> => {
  const body = { email: { address: newAddress() }, password: newPassword() };
  const created = await client.post('/users', { body: { ...body, ...properties } });
  const account = await client.create({ properties: initial });
  const email = { address: account.address };
  const updated = await client.put('/users', { body: { email, ...properties }, password: account.password });
  if (created.status === 201) {
    expect(updated.status).to.equal(200);
    return true;
  }
  expect(created.refusal).to.equal('400 invalid_properties');
  expect(updated.refusal).to.equal('400 invalid_properties');
  expect(updated.problem.errors).to.deep.equal(created.problem.errors);
  expect((await client.read(account)).user).to.deep.equal(account.user);
  return created.paths;
};

const combinations = (harness: Harness): void => {
  const full = { name: 'Jane', age: 3 };
  for (const allowSubset of [true, false]) {
    for (const allowSuperset of [true, false]) {
      it(`allowSubset ${allowSubset}, allowSuperset ${allowSuperset}`, async () => {
        const { client } = await harness.service(rulesOf(allowSubset, allowSuperset));
        expect(await accepts(client, full, full)).to.equal(true);
        expect(await accepts(client, full, { name: 'Jane' })).to.deep.equal(allowSubset ? true : ['age']);
        expect(await accepts(client, full, { ...full, x: 1 })).to.deep.equal(allowSuperset ? true : ['x']);
        expect(await accepts(client, full, { name: 1, age: 3 })).to.deep.equal(['name']);
        expect(await accepts(client, full, { name: 1, age: 'a' })).to.deep.equal(['name', 'age']);
      });
    }
  }

  it('without the block nothing is checked', async () => {
    const { client } = await harness.service();
    expect(await accepts(client, {}, { name: 1, age: 'a', x: null })).to.equal(true);
  });
};

const types = (harness: Harness): void => {
  const allowed = Object.keys(values).map((type) => ({ name: `a ${type}`, type }));
  for (const [type, [accepted, refused]] of Object.entries(values)) {
    it(`type ${type}`, async () => {
      const { client } = await harness.service({ properties: { allowed } });
      const name = `a ${type}`;
      for (const value of accepted) expect(await accepts(client, {}, { [name]: value })).to.equal(true);
      for (const value of refused) expect(await accepts(client, {}, { [name]: value })).to.deep.equal([name]);
    });
  }
};

/** Custom properties (docs/configuration.md, `properties`). */
export const customProperties = (harness: Harness): void => {
  describe('custom properties', () => {
    kept(harness);
    describe('checked by rules', () => {
      combinations(harness);
      types(harness);
    });
  });
};

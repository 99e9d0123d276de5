import * as fc from 'fast-check';
import { readJsonObject } from '../../adapters/kit/exact-json.ts';
import type { PropertyLists } from '../../adapters/kit/user-json/property-access.ts';
import { fixedFields } from '../../adapters/kit/user-json/user-writer.ts';
import { rightOf } from '../../sdk/contract/outcomes.ts';
import type { LatchkeyConfiguration, TestLatchkey } from '../../sdk/testing/index.ts';

/** The text of each value in a JSON object, by its name, in the order of the text. */
export const textsIn = (json: string): ReadonlyMap<string, string> =>
  new Map(
    rightOf(readJsonObject(json)).members.map(({ name, text }) => [name, text.slice(JSON.stringify(name).length + 1)]),
  );

const names: readonly string[] = ['a', 'b', 'c', '"d"', 'é', 'toString'];
const texts = ['1', '1.0', '-0', '1E2', '"x"', '"\\u0041"', '[1,{"b":null}]', '{"a":{"b":1.50},"c":{}}', '""', 'true'];

const objectOf = (values: readonly string[]): fc.Arbitrary<string> =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values)), { selector: ([name]) => name })
    .map((members) => `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);

/** The text of custom properties; their names are the same few ones. */
export const fewProperties = objectOf([...texts, 'null']);

/** The text of a merge patch of them. */
export const fewChanges = objectOf([...texts, 'null', 'null', 'null', '{"a":{"b":null}}', '{"a":{"b":1.50}}']);

const someNames = fc.option(fc.subarray([...names]));

/** Which of them a client may read and write; null for all. */
export const fewLists = fc.record({ read: someNames, write: someNames });

/** The application of a key without limits. */
export const everything = 'everything';
const secret = 'a secret of 22 letters';
export const password = 'correct horse';

export const configurationWith = (keys: Readonly<Record<string, Partial<PropertyLists>>>): LatchkeyConfiguration => ({
  passwordHash: { algorithm: 'simple' },
  auth: {
    type: 'basic',
    keys: [
      { application: everything, secret },
      ...Object.entries(keys).map(([application, properties]) => ({ application, secret, properties })),
    ],
  },
});

/** What a service answers to an application. */
export interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly text: string;
  /** The texts of the custom properties in it, by name. */
  readonly properties: ReadonlyMap<string, string>;
  readonly json: { readonly code?: string; readonly errors?: readonly { readonly path: string }[] };
}

export const asker =
  ({ url }: TestLatchkey) =>
  async (application: string, method: string, path: string, body?: string): Promise<Answer> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(application !== '' && { Authorization: `Basic ${btoa(`${application}:${secret}`)}` }),
        password,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const properties = new Map(response.ok && text !== '' ? textsIn(text) : []);
    for (const name of fixedFields) properties.delete(name);
    return {
      status: response.status,
      etag: response.headers.get('ETag'),
      text,
      properties,
      json: text === '' ? {} : JSON.parse(text),
    };
  };

export const at = (address: string) => `/users?email=${encodeURIComponent(address)}`;
export const userWith = (address: string, properties: string, others = '') =>
  `{"email":{"address":"${address}"}${others}${properties === '{}' ? '}' : `,${properties.slice(1)}`}`;
export const newUserWith = (address: string, properties: string) =>
  userWith(address, properties, `,"password":"${password}"`);
export const pathsOf = ({ json }: Answer) => json.errors?.map(({ path }) => path);

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

const read = async (file: string) => parse(await readFile(new URL(`../../../${file}`, import.meta.url), 'utf8'));
const shipped = await read('config/local.yaml');
const server = { host: '127.0.0.1', port: 0, adminPort: 0 };
const publicUrl = 'https://users.example.com';
const database = { type: 'memory' };
// So that wrong passwords block no user during the tests, and checks take no time.
const throttle = { clientHeader: 'X-Client-Address', failures: 100_000 };
const passwordHash = { serverSideHash: true, algorithm: 'sha256' };
const types = ['string', 'integer', 'double', 'boolean', 'list', 'map', 'anything'];
const allowed = types.map((type) => ({ name: `a_${type}`, type }));

export const administrator = { application: 'support', secret: 'of the support team' };
const admin = { keys: [administrator] };

/** The example for generated clients, with every option that adds operations to the documents. */
export const everything = await read('examples/generated-clients/latchkey.yaml');

/** Configurations whose documents differ, each with an administrator. */
export const configurations = {
  'a file with nothing but the database': { admin, database, email: undefined },
  'config/local.yaml': { ...shipped, admin, server: { ...server, publicUrl }, database, throttle, passwordHash },
  'every feature': { ...everything, server: { ...everything.server, ...server }, database, throttle, passwordHash },
  'exact properties, and passwords that no header carries': {
    admin,
    database,
    properties: { allowed, allowSubset: false, allowSuperset: false },
    passwordHash: { ...passwordHash, headerCheck: false },
    recovery: { deliver: 'caller' },
  },
  'ids, unique properties and a subset of properties': {
    admin,
    database,
    users: { ids: true },
    properties: {
      allowed: [{ name: 'username', type: 'string', unique: true, fold: 'caseless' }, ...allowed],
      allowSuperset: false,
    },
    recovery: { deliver: 'caller' },
  },
};

import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { importFormats } from '../../adapters/import-formats/index.ts';
import { type ImportRecord, UnreadableExport } from '../../adapters/import-formats/json-records.ts';
import { linesOf } from '../../adapters/json-lines/lines.ts';
import { lineOf, userIn } from '../../adapters/json-lines/user-line.ts';
import { assert, assertEqual, errorTexts, type FuzzTarget } from './fuzz-target.ts';
import { assertKept } from './kept-users.ts';

async function* inChunks(data: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < data.length; at += size) yield data.subarray(at, at + size);
}

const now = 1_800_000_000_000;

const importedLine = (known: (messages: readonly string[]) => void, line: Buffer): void => {
  const user = userIn(line, now);
  if (isRight(user)) {
    assertEqual(userIn(Buffer.from(lineOf(user.right)), now), user, 'a user that is exported is the same');
    assertKept(user.right);
  } else known(user.left.errors.map(({ message }) => message));
};

const readAll = async <A>(items: AsyncIterable<A>): Promise<readonly A[] | string> => {
  try {
    const all: A[] = [];
    for await (const item of items) all.push(item);
    return all;
  } catch (error) {
    if (error instanceof UnreadableExport) return error.message;
    throw error;
  }
};

/** The target of a reader of files, which must not depend on how the file is divided into chunks. */
const whole = async <A>(
  data: Buffer,
  split: (chunks: AsyncIterable<Buffer>) => AsyncIterable<A>,
): Promise<readonly A[]> => {
  const items = await readAll(split(inChunks(data, 64 * 1024)));
  // Real files have no chunks as small as this, and which of two errors is found first is no difference.
  const others = data.length < 4096 ? await readAll(split(inChunks(data, 101))) : items;
  if (typeof items !== typeof others || typeof items !== 'string')
    assertEqual(others, items, 'chunks make no difference');
  return typeof items === 'string' ? [] : items;
};

const withoutEnd = async function* (records: AsyncIterable<ImportRecord>): AsyncGenerator<Omit<ImportRecord, 'end'>> {
  for await (const { end: _, ...record } of records) yield record;
};

const foreign = (name: string, seeds: FuzzTarget['seeds']): FuzzTarget => {
  const format = importFormats[name];
  assert(format !== undefined, name);
  const known = errorTexts();
  return {
    seeds,
    run: async (data) => {
      for (const { content, problem } of await whole(data, (chunks) => withoutEnd(format.records(chunks)))) {
        // The message names the line.
        known((problem?.errors ?? []).map(({ message }) => message.replace(/\d+/, 'N')));
        const record = content && format.read(content);
        if (record === undefined) continue;
        if (isLeft(record)) known((record.left.errors ?? []).map(({ message }) => message));
        else importedLine(known, Buffer.from(record.right.line('a password')));
      }
    },
  };
};

const json = (value: object): string => JSON.stringify(value);
const credentials = [
  {
    type: 'password',
    secretData: '{"value":"AAAA","salt":"AAAA"}',
    credentialData:
      '{"algorithm":"argon2","hashIterations":5,"additionalParameters":{"memory":["7168"],"type":["id"]}}',
  },
];

/** What administrators import, which other systems wrote. */
export const importTargets: Readonly<Record<string, FuzzTarget>> = {
  jsonLines: {
    seeds: [
      '{"email":{"address":"jane@example.com"},"password":"x"}\r\n\ufeff{"email":{}}\n',
      '{"email":{"tokenTime":1,"mailTime":2,"address":"jane@example.com","verified":true,"verificationToken":"t"},"password":"p","creationTime":1700000000000,"lastUpdateTime":1700000000000,"a":1}',
      '{"id":"1","email":{"address":"a@b.de","disabledTime":1,"disabledUntil":2,"disabledReason":"why"},"password":"p"}',
    ],
    run: async (data) => {
      for (const { content } of await whole(data, linesOf))
        if (content !== undefined) importedLine(lineErrors, content);
    },
  },
  auth0: foreign('auth0', [
    json({
      email: 'jane@example.com',
      user_id: 'auth0|1',
      passwordHash: `$2b$10$${'.'.repeat(53)}`,
      created_at: '2024-05-31T10:20:30Z',
    }),
    json({
      email: 'a@b.de',
      custom_password_hash: {
        algorithm: 'sha256',
        hash: { value: 'AA==', encoding: 'base64' },
        salt: { value: 's', position: 'suffix' },
      },
    }),
    json({ user_id: 'auth0|1', email: 'a@b.de', hashes: [{ _id: { $oid: '1' }, email: 'a@b.de', passwordHash: 'x' }] }),
    json({
      email: 'a@b.de',
      custom_password_hash: {
        algorithm: 'scrypt',
        hash: { value: 'AA' },
        salt: { value: 'AA' },
        cost: 16384,
        blockSize: 8,
        parallelization: 1,
      },
    }),
  ]),
  documents: foreign('documents', [
    json({
      document: json({ email: { address: 'a@b.de' }, password: 'p', properties: { a: 1 } }),
      creation_time: { $numberLong: '1' },
      update_time: 2,
    }),
  ]),
  firebase: foreign('firebase', [
    `{"users":[${json({ localId: '1', email: 'jane@example.com', emailVerified: true, passwordHash: 'AAAA', salt: 'AAAA', createdAt: '1700000000000', customAttributes: '{"admin":true}' })}]}`,
    '1,jane@example.com,true,AAAA,AAAA,"Jane ""J"" Doe",,,,,,,,,,,,,,,,,,1700000000000,1700000000001,,false,"{""a"":1}",\r\n',
  ]),
  keycloak: foreign('keycloak', [
    `{"realm":"r","users":[${json({ id: '1', username: 'jane', email: 'jane@example.com', enabled: false, createdTimestamp: 1, requiredActions: ['UPDATE_PASSWORD'], credentials, attributes: { a: ['1'] } })}]}`,
  ]),
  kratos: foreign('kratos', [
    json({
      id: '1',
      schema_id: 'default',
      state: 'active',
      traits: { email: 'jane@example.com', name: { first: 'Jane' } },
      verifiable_addresses: [{ value: 'jane@example.com', verified: true, via: 'email' }],
      credentials: { password: { type: 'password', config: { hashed_password: '$argon2id$' } } },
    }),
  ]),
  supabase: foreign('supabase', [
    json({
      id: '1',
      email: 'jane@example.com',
      encrypted_password: `$2a$10$${'.'.repeat(53)}`,
      email_confirmed_at: '2024-05-31 10:20:30.5+00',
      raw_user_meta_data: { a: 1 },
    }),
    'id,email,encrypted_password,email_confirmed_at,raw_user_meta_data\n1,jane@example.com,,infinity,"{""a"": ""x\ny""}"\n',
  ]),
};
const lineErrors = errorTexts();

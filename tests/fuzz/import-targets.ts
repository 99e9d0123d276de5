import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { importFormats } from '../../adapters/import-formats/index.ts';
import { type ImportRecord, UnreadableExport } from '../../adapters/import-formats/json-records.ts';
import { linesOf } from '../../adapters/json-lines/lines.ts';
import { lineOf, userIn } from '../../adapters/json-lines/user-line.ts';
import { systemClock } from '../../adapters/system-clock.ts';
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
        const record = content && format.read(content, systemClock.now());
        if (record === undefined) continue;
        if (isLeft(record)) known((record.left.errors ?? []).map(({ message }) => message));
        else importedLine(known, Buffer.from(record.right.line('a password')));
      }
    },
  };
};

/** The records of exports that other systems made, and tables as a whole. */
const exported = (...files: readonly string[]): readonly string[] =>
  files.flatMap((file) => {
    const text = readFileSync(join('tests/process/transfer/exports', file), 'utf8');
    if (file.endsWith('.jsonl')) return text.split('\n');
    if (file.endsWith('.csv')) return text;
    const document: unknown = JSON.parse(text);
    const withUsers = t.type({ users: t.UnknownArray });
    const records: readonly unknown[] = withUsers.is(document) ? document.users : [document].flat();
    return records.map((record) => JSON.stringify(record));
  });

const lineErrors = errorTexts();

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
  auth0: foreign('auth0', exported('auth0.jsonl', 'auth0-import.json')),
  documents: foreign('documents', exported('documents.jsonl')),
  firebase: foreign('firebase', exported('firebase.json', 'firebase.csv')),
  keycloak: foreign('keycloak', [...exported('keycloak.json'), '{"realm":"r","users":[{"email":"a@b.de"}],"x":[{}]}']),
  kratos: foreign('kratos', exported('kratos.json')),
  supabase: foreign('supabase', exported('supabase.json', 'supabase.csv')),
};

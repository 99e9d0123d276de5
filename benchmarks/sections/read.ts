import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import jsonwebtoken, { type Secret } from 'jsonwebtoken';
import type { Bench, Section } from '../bench.ts';
import { contender } from '../contender.ts';
import { headers, latchkey } from '../latchkey.ts';
import { fixedResponse } from '../quiet.ts';
import { type Contender, interleave, requireSameAnswer, throughputRow } from '../rounds.ts';
import { folderWith, pathOf, seededDatabase } from '../users.ts';

const users = 1_000;
const hmacSecret = 'a secret of the bench with more than 32 bytes';
const claims = { iss: 'bench', sub: 'bench' };

const bearer = (key: Secret, algorithm: 'HS256' | 'RS256') => ({
  ...headers,
  Authorization: `Bearer ${jsonwebtoken.sign(claims, key, { algorithm, expiresIn: '1d' })}`,
});

const contendersOf = (bench: Bench, database: string): readonly Contender[] => {
  const load = { operation: 'read', users, headers, connections: 32 } as const;
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const oauth = (keys: object) => ({ auth: { type: 'oauth', issuer: 'bench', ...keys } });
  const bare = (name: string, program: string): Contender => ({
    name,
    load,
    prepare: () => {
      const folder = folderWith(bench, program, database);
      return contender(program, folder, { DATABASE: join(folder, 'users.db') });
    },
  });
  const own = (
    name: string,
    blocks: Readonly<Record<string, unknown>>,
    sent: Contender['load']['headers'],
  ): Contender => ({
    name,
    load: { ...load, headers: sent },
    prepare: () => {
      const folder = folderWith(bench, 'latchkey', database);
      writeFileSync(join(folder, 'rsa.der'), rsa.publicKey.export({ type: 'spki', format: 'der' }));
      return latchkey(folder, blocks);
    },
  });
  return [
    bare('node:http, read', 'node-http-sqlite'),
    bare('Koa, read', 'koa-sqlite'),
    bare('Fastify, read', 'fastify-sqlite'),
    own('Latchkey', {}, headers),
    own('Latchkey, all requests logged', { logging: { requests: 'all' } }, headers),
    own('Latchkey, HS256', oauth({ hmacSecret }), bearer(hmacSecret, 'HS256')),
    own('Latchkey, RS256', oauth({ rsaPublicKeyFilePath: 'rsa.der' }), bearer(rsa.privateKey, 'RS256')),
  ];
};

const basic = 'GET with Basic authentication and an unhashed password, relative to Koa';

/** Reads of one user by its address, compared with hand-written servers that only read the row. */
export const read: Section = {
  name: 'read',
  title: 'Reading a user',
  explanation:
    'GET `/users` on SQLite. Latchkey authenticates the client, decodes the request, checks the password and presents the user; the others only read the same row.',
  run: async (bench) => {
    const others = contendersOf(bench, await seededDatabase(bench, users));
    const answer = await requireSameAnswer(bench, pathOf(7), others);
    const contenders = await interleave(bench, [fixedResponse(bench, answer), ...others]);
    const row = (name: string, own: string, atLeast: number, reference = 'Koa, read') =>
      throughputRow(contenders, name, own, reference, atLeast);
    return {
      contenders,
      figures: [],
      rows: [
        row(basic, 'Latchkey', 1.4),
        row(
          'GET with Basic authentication and an unhashed password, relative to Fastify',
          'Latchkey',
          0.9,
          'Fastify, read',
        ),
        row('GET with all requests logged, relative to Koa', 'Latchkey, all requests logged', 1.2),
        row('GET with an OAuth token (HS256), relative to Koa', 'Latchkey, HS256', 0.75),
        row('GET with an OAuth token (RS256), relative to Koa', 'Latchkey, RS256', 0.6),
      ],
      notes: [],
    };
  },
};

// Fastify with better-sqlite3: only reads a user.
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { columns, json } from './user.js';

const database = new Database(process.env.DATABASE, { readonly: true });
const read = database.prepare(`SELECT ${columns} FROM users WHERE key = ?`).raw();

const app = fastify();
app.get('/users', (request, reply) => {
  reply.header('Content-Type', 'application/json').send(json(read.get(request.query.email.toLowerCase())));
});
const url = await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' });
console.log(JSON.stringify({ msg: 'listening', url }));

// node:http and better-sqlite3: reads a user; creates and updates users with one commit for each write, flushed unless
// FLUSH=never.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import Database from 'better-sqlite3';
import { columns, json } from './user.js';

const database = new Database(process.env.DATABASE);
database.pragma('journal_mode = WAL');
database.pragma(`synchronous = ${process.env.FLUSH === 'never' ? 'OFF' : 'FULL'}`);
const read = database.prepare(`SELECT ${columns} FROM users WHERE key = ?`).raw();
const insert = database.prepare(`INSERT INTO users (key, version, ${columns}) VALUES (?, ?, ?, 0, NULL, ?, ?, ?, ?)`);
const update = database.prepare('UPDATE users SET version = ?, last_update_time = ?, properties = ? WHERE key = ?');

const write = (method, { email: { address }, password, ...properties }) => {
  const now = Date.now();
  const key = address.toLowerCase();
  const text = JSON.stringify(properties);
  if (method === 'POST') insert.run(key, randomUUID(), address, password, now, now, text);
  else update.run(randomUUID(), now, text, key);
  return json([address, 0, null, password, now, now, text]);
};

const send = (response, status, body) => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
};

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    const key = decodeURIComponent(request.url.slice(request.url.indexOf('=') + 1)).toLowerCase();
    return send(response, 200, json(read.get(key)));
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    send(response, request.method === 'POST' ? 201 : 200, write(request.method, JSON.parse(text)));
  });
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.address().port}` }));
});

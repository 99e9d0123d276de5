// node:http and pg: reads a user; creates and updates users with one statement for each write.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import pg from 'pg';
import { columns, json } from './user.js';

const { CONNECTION, TABLE, PORT = 0 } = process.env;
const pool = new pg.Pool({ connectionString: CONNECTION, max: 10 });
const read = `SELECT ${columns} FROM ${TABLE} WHERE key = $1`;
const insert = `INSERT INTO ${TABLE} (key, version, ${columns}) VALUES ($1, $2, $3, false, NULL, $4, $5, $5, $6)`;
const update = `UPDATE ${TABLE} SET version = $2, last_update_time = $3, properties = $4 WHERE key = $1`;

const query = (text, values) => pool.query({ text, values, rowMode: 'array' });

const readUser = async (key) => {
  const [[address, verified, token, password, created, updated, properties]] = (await query(read, [key])).rows;
  return json([address, verified ? 1 : 0, token, password.toString(), created, updated, properties]);
};

const write = async (method, { email: { address }, password, ...properties }) => {
  const now = Date.now();
  const key = address.toLowerCase();
  const text = JSON.stringify(properties);
  if (method === 'POST') await query(insert, [key, randomUUID(), address, Buffer.from(password), now, text]);
  else await query(update, [key, randomUUID(), now, text]);
  return json([address, 0, null, password, now, now, text]);
};

const send = (response, status, body) => {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
};

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    const key = decodeURIComponent(request.url.slice(request.url.indexOf('=') + 1)).toLowerCase();
    return send(response, 200, await readUser(key));
  }
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', async () => {
    send(response, request.method === 'POST' ? 201 : 200, await write(request.method, JSON.parse(text)));
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.address().port}` }));
});

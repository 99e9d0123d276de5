// node:http and the MongoDB driver: only the call that Latchkey makes for a read, with the same timeouts.
import { createServer } from 'node:http';
import { MongoClient } from 'mongodb';
import { json } from './user.js';

const { CONNECTION, DATABASE, PORT = 0 } = process.env;
const timeouts = {
  serverSelectionTimeoutMS: 5_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 20_000,
  waitQueueTimeoutMS: 2_000,
  heartbeatFrequencyMS: 2_000,
};
const client = await new MongoClient(CONNECTION, timeouts).connect();
const guarantees = { readPreference: 'primary', readConcern: { level: 'majority' } };
const users = client.db(DATABASE).collection('users', guarantees);
const times = ['tokenTime', 'mailTime', 'creationTime', 'lastUpdateTime'];
const names = ['version', 'address', 'verified', 'verificationToken', 'password', ...times, 'properties'];
const projection = { ...Object.fromEntries(names.map((name) => [name, 1])), _id: 0 };

const server = createServer(async (request, response) => {
  const email = decodeURIComponent(request.url.slice(request.url.indexOf('=') + 1)).toLowerCase();
  const user = await users.findOne({ email }, { projection, maxTimeMS: 27_000 });
  const { address, verified, verificationToken, password, creationTime, lastUpdateTime, properties } = user;
  const body = json([address, verified ? 1 : 0, verificationToken, password, creationTime, lastUpdateTime, properties]);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.address().port}` }));
});

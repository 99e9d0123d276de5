// node:http and the DynamoDB client: only the call that Latchkey makes for a read.
import { createServer } from 'node:http';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { json } from './user.js';

const { ENDPOINT, REGION, TABLE, PORT = 0 } = process.env;
const agent = { maxSockets: 128 };
const client = new DynamoDBClient({ endpoint: ENDPOINT, region: REGION, requestHandler: { httpAgent: agent } });

const server = createServer(async (request, response) => {
  const email = decodeURIComponent(request.url.slice(request.url.indexOf('=') + 1)).toLowerCase();
  const Key = { email: { S: email } };
  const { Item } = await client.send(new GetItemCommand({ TableName: TABLE, Key, ConsistentRead: true }));
  const { address, verified, verificationToken: token, password, creationTime, lastUpdateTime, properties } = Item;
  const times = [Number(creationTime.N), Number(lastUpdateTime.N)];
  const body = json([address.S, verified.BOOL ? 1 : 0, token.S ?? null, password.S, ...times, properties.S]);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(Number(PORT), '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${server.address().port}` }));
});

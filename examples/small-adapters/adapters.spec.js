import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mailerContract, passwordHashContract, secretsContract, userStoreContract } from 'latchkey/contract';
import secrets from './file-secrets.js';
import mailer from './http-mailer.js';
import store from './map-store.js';
import hash from './scrypt-hash.js';

const log = { info() {}, warn() {}, error() {} };
const operationTimeoutMs = 2_000;
const context = { log, operationTimeoutMs };

let server;
let port;
let isSilent = false;
const listen = async (at) => {
  await new Promise((resolve) => server.listen(at, '127.0.0.1', resolve));
  port = server.address().port;
};
const close = async () => {
  server.closeAllConnections();
  server.close();
};

const openMailer = async () => {
  const mails = [];
  server = createServer(async (request, response) => {
    if (isSilent) return undefined;
    if (request.method === 'GET') return response.end();
    const mail = JSON.parse(Buffer.concat(await request.toArray()));
    const isRefused = mail.to === 'refused@example.com';
    if (!isRefused) mails.push(mail);
    return response.writeHead(isRefused ? 422 : 202).end();
  });
  await listen(0);
  const url = `http://127.0.0.1:${port}`;
  const opened = await mailer.open({ url, apiKey: 'a key', fromAddress: 'no-reply@example.com' }, context);
  const dispose = async () => {
    await opened.close();
    await close();
  };
  return { mailer: opened, sent: async () => mails, refused: 'refused@example.com', dispose };
};
const silence = (silent) => async () => {
  isSilent = silent;
};
const outage = { begin: close, end: () => listen(port) };
const hang = { begin: silence(true), end: silence(false) };
mailerContract('HTTP', openMailer, { failures: { operationTimeoutMs, outage, hang } });

passwordHashContract('scrypt', () => hash.open({ cost: 10 }, context));

secretsContract('a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'secrets-'));
  const path = join(folder, 'secrets.json');
  await writeFile(path, '{}');
  const store = async (name, value) => {
    const secrets = JSON.parse(await readFile(path, 'utf8'));
    await writeFile(path, JSON.stringify({ ...secrets, [name]: value }));
  };
  return { secrets: await secrets.open({ path }, context), store, dispose: () => rm(folder, { recursive: true }) };
});

userStoreContract('a Map', async () => {
  const opened = await store.open({}, context);
  return { store: opened, reopen: async () => opened, dispose: () => opened.users.close() };
});

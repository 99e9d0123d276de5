import { readdirSync, readlinkSync } from 'node:fs';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { clientHeaders, Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { certificateFor } from '../support/mail-server.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { type Body, RandomBodies } from './hostile-bodies.ts';
import type { RandomStream } from './random.ts';

/** The user of the hostile requests, which may delete it, and that of others. */
const address = 'hostile@example.com';
const honestAddress = 'honest@example.com';
const password = 'a password of the hostile connections test';
const adminSecret = 'only-for-the-hostile-connections-test';

/** The connections that are open at once. */
const concurrency = 24;

/** A port of a running service. */
interface Target {
  readonly port: number;
  readonly isTls: boolean;
  readonly calls: readonly string[];
  readonly authorization: string;
}

const basic = (application: string, secret: string): string =>
  `Basic ${Buffer.from(`${application}:${secret}`).toString('base64')}`;

const user = encodeURIComponent(address);

/** Requests with a body. */
const publicCalls = [
  'POST /users',
  `PUT ${at(address)}`,
  `PATCH ${at(address)}`,
  'POST /users/check',
  'POST /recovery/confirm',
  'POST /recovery/password',
  'POST /recovery/password',
];
const adminCalls = [
  `PATCH /admin/users?email=${user}`,
  `POST /admin/disable?address=${user}`,
  `POST /admin/properties?address=${user}`,
];

const document = '/swagger/assets/swagger-ui-bundle.js';
const paths = [at(address), '/verify/confirm', '/recovery', '/openapi.json', document, '/admin', '/outbox', '/livez'];
const targets = [...paths, '*', 'a.example:443', 'http://a.example/users'];

const targetsOf = ({ url, adminUrl }: Serving): readonly Target[] => [
  { ...portOf(url), calls: publicCalls, authorization: clientHeaders.Authorization },
  { ...portOf(adminUrl), calls: adminCalls, authorization: basic('ops', adminSecret) },
];

const portOf = (url: string) => ({ port: Number(new URL(url).port), isTls: url.startsWith('https:') });

const methods = [...METHODS, 'BREW'];
const expectations = ['100-continue', '100-Continue', 'a-miracle', ''];
const upgrades = ['websocket', 'h2c', 'TLS/1.3', ''];
const mediaTypes = ['application/json', 'application/merge-patch+json', 'text/plain', ''];

/** The media type that a call expects. */
const typeOf = (call: string): string =>
  /password$|address=/.test(call) ? 'application/x-www-form-urlencoded' : 'application/json';

const chunked = (bytes: Buffer, random: RandomStream): Buffer => {
  const size = bytes.length < 500 ? 1 + random.below(20) : 1 + random.below(100_000);
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += size) {
    const chunk = bytes.subarray(start, start + size);
    parts.push(
      Buffer.from(`${chunk.length.toString(16)}${random.chance(0.02) ? ';a=b' : ''}\r\n`),
      chunk,
      Buffer.from('\r\n'),
    );
  }
  return Buffer.concat([
    ...parts,
    Buffer.from(random.chance(0.9) ? '0\r\n\r\n' : random.pick(['', '0\r\nA: b\r\n\r\n', 'x\r\n', '0\r\n'])),
  ]);
};

const framed = (
  { bytes, encoding }: Body,
  random: RandomStream,
): { readonly headers: readonly string[]; readonly sent: Buffer } => {
  const headers = encoding === undefined ? [] : [`Content-Encoding: ${encoding}`];
  if (random.chance(0.4)) return { headers: [...headers, 'Transfer-Encoding: chunked'], sent: chunked(bytes, random) };
  const length = bytes.length + (random.chance(0.9) ? 0 : random.below(7) - 3);
  return { headers: [...headers, `Content-Length: ${length}`], sent: bytes };
};

const randomCall = (calls: readonly string[], random: RandomStream): string => {
  if (random.chance(0.6)) return random.pick(calls);
  return random.chance(0.3) ? `CONNECT ${random.pick(targets)}` : `${random.pick(methods)} ${random.pick(targets)}`;
};

const randomRequest = ({ calls, authorization }: Target, bodies: RandomBodies, random: RandomStream): Buffer => {
  const { headers, sent } = random.chance(0.7)
    ? framed(bodies.next(random), random)
    : { headers: [], sent: Buffer.alloc(0) };
  const call = randomCall(calls, random);
  const lines = [
    `${call} HTTP/1.${random.chance(0.95) ? 1 : 0}`,
    'Host: localhost',
    `Content-Type: ${random.chance(0.7) ? typeOf(call) : random.pick(mediaTypes)}`,
    ...headers,
    // A wrong key would only be blocked.
    ...(random.chance(0.9) ? [`Authorization: ${authorization}`] : []),
    ...(random.chance(0.5) ? [`password: ${password}`] : []),
    ...(random.chance(0.2) ? [`Expect: ${random.pick(expectations)}`] : []),
    ...(random.chance(0.2)
      ? [`Upgrade: ${random.pick(upgrades)}`, `Connection: ${random.pick(['Upgrade', 'close', 'keep-alive'])}`]
      : []),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), sent]);
};

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Opens a connection, sends a part of some requests, and ends it in any way. Resolves with what was received. */
const attack = (target: Target, bodies: RandomBodies, random: RandomStream): Promise<string> =>
  new Promise((resolve) => {
    const received: Buffer[] = [];
    const requests = Array.from({ length: random.chance(0.7) ? 1 : 1 + random.below(4) }, () =>
      randomRequest(target, bodies, random),
    );
    const all = Buffer.concat(requests);
    const bytes = random.chance(0.6) ? all : all.subarray(0, random.below(all.length + 1));
    const raw = connect(target.port, '127.0.0.1');
    // A client that speaks HTTP to a port with TLS is one of those that this is about.
    const encrypts = target.isTls && random.chance(0.9);
    // TLS over a stream instead of the socket, because Node.js cannot reset a socket that TLS has taken over.
    const wire = encrypts ? Duplex.from({ readable: raw, writable: raw }) : raw;
    const socket: Duplex = encrypts ? connectTls({ socket: wire, rejectUnauthorized: false }) : raw;
    const streams = new Set([raw, wire, socket]);
    const destroy = (): void => {
      for (const each of streams) each.destroy();
    };
    const reset = (): void => {
      // Node.js would keep a socket whose reset fails, as it does before the connection and after its end.
      if (!raw.connecting && !raw.writableEnded && !raw.destroyed) raw.resetAndDestroy();
      destroy();
    };
    for (const each of streams) each.on('error', destroy);
    const timeout = setTimeout(destroy, 3_000);
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    if (random.chance(0.1)) socket.pause();
    raw.once('close', () => {
      destroy();
      clearTimeout(timeout);
      resolve(Buffer.concat(received).toString('latin1'));
    });
    if (random.chance(0.03)) setTimeout(reset, random.below(5));
    const end = random.pick<() => unknown>([
      reset,
      () => setTimeout(reset, random.below(5)),
      () => socket.end(),
      destroy,
      // Reads what comes, for a while.
      () => setTimeout(destroy, 20 + random.below(200)),
    ]);
    const send = async (): Promise<void> => {
      const size = random.chance(0.5) ? bytes.length + 1 : 1 + random.below(bytes.length + 1);
      for (let start = 0; start < bytes.length && !raw.destroyed; start += size) {
        socket.write(bytes.subarray(start, start + size));
        await immediate();
      }
      end();
    };
    socket.once(encrypts ? 'secureConnect' : 'connect', send);
  });

const socketsOf = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;

/** Starts a service with every route that takes a body, with or without TLS. */
const start = async (installation: Installation, isTls: boolean): Promise<Serving> => {
  const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };
  await installation.configure({
    server: {
      host: '127.0.0.1',
      port: 0,
      adminPort: 0,
      publicUrl: 'http://localhost',
      ...(isTls && { tls, adminTls: tls }),
    },
    database: { type: 'sqlite', path: `users-${isTls}.db` },
    passwordHash: { algorithm: 'sha256', serverSideHash: true },
    recovery: { lifetime: '1h' },
    admin: { keys: [{ application: 'ops', secret: adminSecret }] },
    logging: { requests: 'none' },
  });
  return installation.serve();
};

/** A round is one second. */
export const hostileConnections: Guarantee = {
  name: 'no client ends the process, fails others or keeps a socket by what it does to its own connection or body',
  rounds: { short: 20, long: 3_600 },
  timeoutMs: 180_000,
  run: async (seconds, random) => {
    const installation = await Installation.create();
    const certificate = await certificateFor('localhost');
    try {
      await installation.write('cert.pem', certificate.cert);
      await installation.write('key.pem', certificate.key);
      const services = [await start(installation, false), await start(installation, true)];
      const pids = services.map(({ run }) => run.child.pid);
      const ports = services.flatMap(targetsOf);
      const before = pids.map(socketsOf);
      const caller = new Caller(services[0]?.url ?? '');
      const email = { address: honestAddress };
      expect((await caller.call('POST', '/users', { email, password }))?.status).to.equal(201);
      caller.close();
      const until = performance.now() + seconds * 1_000;
      const isOver = (): boolean => performance.now() > until;
      let connections = 0;
      const statuses = new Map<string, number>();
      const bodies = new RandomBodies(random.stream('large bodies'));
      const attackAll = async (client: number): Promise<void> => {
        for (let connection = 0; !isOver(); connection++) {
          const ofConnection = random.stream('client', client, connection);
          const target = ofConnection.pick(ports);
          // TLS handshakes take most of the time of both sides.
          if (target.isTls && ofConnection.chance(0.5)) continue;
          connections++;
          const response = await attack(target, bodies, ofConnection);
          for (const [, status = ''] of response.matchAll(/^HTTP\/1\.1 (\d{3})/gm))
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      let slowestMs = 0;
      const others = async (): Promise<void> => {
        const honest = new Caller(services[0]?.url ?? '');
        while (!isOver()) {
          const asked = performance.now();
          const response = await honest.call('GET', at(honestAddress), undefined, { password });
          // Lets the exit of the service, if that is the reason, be reported first.
          if (response === undefined) await new Promise((resolve) => setTimeout(resolve, 1_000));
          expect(response?.status).to.equal(200);
          slowestMs = Math.max(slowestMs, performance.now() - asked);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        honest.close();
      };
      const ended = services.map(async ({ run }) => {
        const status = await run.ended;
        if (!isOver()) throw new Error(`a service ended with ${status}: ${run.stderr.slice(-2_000)}`);
      });
      await Promise.race([
        Promise.all([others(), ...Array.from({ length: concurrency }, (_, client) => attackAll(client))]),
        // Rejects when a service ends, and never resolves before.
        ...ended.map((each) => each.then(() => new Promise<never>(() => {}))),
      ]);

      // Node.js does not report to a TLS server that a write cannot succeed; such sockets are closed after 30 seconds.
      await eventually(async () => expect(pids.map(socketsOf), 'open sockets').to.deep.equal(before), 45_000);
      for (const status of statuses.keys()) expect(status).to.match(/^(?:[1-4]\d\d|503)$/);
      for (const { run } of services) {
        const errors = run.log.filter(({ level }) => Number(level) >= 50);
        expect(errors, 'errors in the log').to.deep.equal([]);
      }
      for (const { stop } of services) expect(await stop()).to.equal(0);
      const seen = [...statuses].sort().map(([status, count]) => `${status}: ${count}`);
      return `${seconds} s, ${connections} connections (${seen.join(', ')}): no exit, no socket kept, slowest read of others ${slowestMs.toFixed(0)} ms`;
    } finally {
      await certificate.remove();
      await installation.dispose();
    }
  },
};

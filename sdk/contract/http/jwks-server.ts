import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';

/** A key pair, and the public key as a JWK (RFC 7517). */
export interface PublishedKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly jwk: Readonly<Record<string, unknown>>;
}

/** Creates a key pair: RSA with a number of bits, or a curve. `members` are added to the JWK. */
export const newKey = (kind: number | string, members: Readonly<Record<string, unknown>>): PublishedKey => {
  const pair =
    typeof kind === 'number'
      ? generateKeyPairSync('rsa', { modulusLength: kind })
      : generateKeyPairSync('ec', { namedCurve: kind });
  return { ...pair, jwk: { ...pair.publicKey.export({ format: 'jwk' }), use: 'sig', ...members } };
};

/** A server with the JWKS of an issuer. Its response can be changed, and it can be stopped. */
export class JwksServer {
  /** The number of requests. */
  requests = 0;
  private listener: RequestListener = (_, response) => response.writeHead(404).end();
  private server: Server | undefined;
  private port = 0;

  static async start(...keys: readonly PublishedKey[]): Promise<JwksServer> {
    const server = new JwksServer();
    server.publish(...keys);
    await server.open();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/keys`;
  }

  publish(...keys: readonly PublishedKey[]): void {
    this.answerWith(200, JSON.stringify({ keys: keys.map(({ jwk }) => jwk) }));
  }

  answerWith(status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
    this.listenWith((_, response) => response.writeHead(status, headers).end(body));
  }

  listenWith(listener: RequestListener): void {
    this.listener = listener;
  }

  /** Listens on the same port again. */
  async open(): Promise<void> {
    const server = createServer((request, response) => {
      this.requests += 1;
      this.listener(request, response);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    const address = server.address();
    if (address !== null && typeof address === 'object') this.port = address.port;
  }

  async close(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}

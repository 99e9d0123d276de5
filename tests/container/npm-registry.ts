import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What `npm publish` sends: the manifests by version, and the packed files by name. */
interface Publication {
  readonly name: string;
  readonly 'dist-tags': Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, { readonly dist: { tarball: string } }>>;
  readonly _attachments: Readonly<Record<string, { readonly data: string }>>;
}

const isPublication = (body: unknown): body is Publication =>
  typeof body === 'object' && body !== null && 'versions' in body && '_attachments' in body;

/**
 * An npm registry on this machine. It keeps what is published to it, and sends npm to the registry that npm is configured
 * with for every other package.
 */
export class NpmRegistry {
  private readonly published = new Map<string, Publication>();
  private readonly upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  private readonly server = createServer((request, response) => {
    this.respond(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });

  static async start(): Promise<NpmRegistry> {
    const registry = new NpmRegistry();
    registry.server.listen(0, '127.0.0.1');
    await once(registry.server, 'listening');
    return registry;
  }

  /** Its host and port. */
  get host(): string {
    // A listening TCP server has an address object.
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [, name = '', , file] = (request.url ?? '').split('/');
    if (request.method === 'PUT') {
      const body: unknown = await json(request);
      if (!isPublication(body)) throw new Error('not what npm publish sends');
      for (const { dist } of Object.values(body.versions))
        dist.tarball = `http://${this.host}/${name}/-/${dist.tarball.split('/').at(-1)}`;
      this.published.set(name, body);
      response.writeHead(201).end('{}');
      return;
    }
    const publication = this.published.get(name);
    if (publication === undefined) {
      response.writeHead(307, { location: new URL((request.url ?? '').slice(1), this.upstream).href }).end();
    } else if (file === undefined) {
      const { _attachments: _, ...document } = publication;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    } else {
      response.end(Buffer.from(publication._attachments[file]?.data ?? '', 'base64'));
    }
  }
}

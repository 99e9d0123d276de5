import { createServer, connect as dial, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
}

/** Whether a chunk sent by a client starts the request that a test waits for. */
export type Matches = (request: Buffer) => boolean;

/** A TCP proxy in front of an engine that simulates network failures. */
export class TcpProxy {
  readonly host = '127.0.0.1';
  private readonly links = new Set<Link>();
  private behaviour: 'pass' | 'reset' | 'silence' = 'pass';
  private delayOfReplies = 0;
  private lost: { readonly matches: Matches; done(): void } | undefined;

  private constructor(
    private readonly listener: Server,
    readonly port: number,
  ) {}

  /** Starts a proxy for `host:port` that forwards everything. */
  static async to(host: string, port: number): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: false });
    const own = await TcpProxy.listen(listener, 0);
    const proxy = new TcpProxy(listener, own);
    listener.on('connection', (client) => proxy.link(client, dial({ host, port })));
    return proxy;
  }

  private static listen(listener: Server, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, '127.0.0.1', () => {
        listener.off('error', reject);
        const address = listener.address();
        if (address !== null && typeof address === 'object') resolve(address.port);
      });
    });
  }

  /** The number of open connections. */
  get connections(): number {
    return this.links.size;
  }

  /** Closes all connections and refuses new ones. */
  async refuse(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.listener.close(() => resolve()));
    this.resetAll();
    await closed;
  }

  /** Resets all connections, and new ones too. */
  reset(): void {
    this.behaviour = 'reset';
    this.resetAll();
  }

  /** Keeps connections open and accepts new ones, but forwards nothing (a black hole). */
  silence(): void {
    this.behaviour = 'silence';
  }

  /** Delays each chunk of a reply, in milliseconds. */
  delay(milliseconds: number): void {
    this.delayOfReplies = milliseconds;
  }

  /** Forwards the next matching request, waits for its reply, and resets the connection instead of returning it. */
  loseReply(matches: Matches): Promise<void> {
    return new Promise((done) => {
      this.lost = { matches, done };
    });
  }

  /** Forwards everything again. Connections that were blackholed stay broken. */
  async restore(): Promise<void> {
    if (this.behaviour === 'silence') this.resetAll();
    this.behaviour = 'pass';
    this.delayOfReplies = 0;
    this.lost = undefined;
    if (!this.listener.listening) await TcpProxy.listen(this.listener, this.port);
  }

  async close(): Promise<void> {
    if (this.listener.listening) await this.refuse();
    else this.resetAll();
  }

  private resetAll(): void {
    for (const link of this.links) this.end(link);
  }

  private end(link: Link): void {
    if (!this.links.delete(link)) return;
    // Reset instead of a graceful close, which the client could take for a reply.
    link.client.resetAndDestroy();
    link.server.destroy();
  }

  private link(client: Socket, server: Socket): void {
    const link = { client, server };
    this.links.add(link);
    for (const socket of [client, server]) {
      socket.on('error', () => this.end(link));
      socket.on('close', () => this.end(link));
      socket.setNoDelay(true);
    }
    if (this.behaviour === 'reset') this.end(link);
    let losing: (() => void) | undefined;
    client.on('data', (request) => {
      if (this.behaviour === 'silence') return;
      if (this.lost?.matches(request)) {
        losing = this.lost.done;
        this.lost = undefined;
      }
      server.write(request);
    });
    server.on('data', (reply) => {
      if (this.behaviour === 'silence') return;
      if (losing !== undefined) {
        this.end(link);
        losing();
      } else if (this.delayOfReplies === 0) client.write(reply);
      else setTimeout(() => client.write(reply), this.delayOfReplies);
    });
  }
}

import { createServer, connect as dial, type Server, type Socket } from 'node:net';

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Whether a request is held back, which must reach the server although its client has given up. */
  isHeld: boolean;
}

/** Whether a chunk sent by a client starts the request that a test waits for. */
export type Matches = (request: Buffer) => boolean;

/** The chunk that a client gets instead of a reply, and whether the connection is closed after it. */
export type Replace = (reply: Buffer) => { readonly reply: Buffer; readonly isLast: boolean };

/** What a black hole swallows. */
export type Swallowed = 'requests' | 'replies';

/**
 * Ports that no client gets for its own end of a connection (ip_local_port_range), so that a proxy that refused
 * connections for a while can listen on its port again.
 */
const ownPorts = { from: 10_000, to: 32_000 };
const maxAttempts = 100;

const isInUse = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** A TCP proxy in front of an engine that simulates network failures. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private resets = false;
  private readonly swallowed = new Set<Swallowed>();
  private delayOfReplies = 0;
  private lost: { readonly matches: Matches; readonly passed: number; done(): void } | undefined;
  private replaced: { readonly matches: Matches; readonly replace: Replace; done(): void } | undefined;
  private cut: { readonly matches: Matches; readonly passed: number; done(): void } | undefined;
  private held: { readonly matches: Matches; done(release: () => Promise<void>): void } | undefined;

  private constructor(
    private readonly listener: Server,
    readonly host: string,
    readonly port: number,
  ) {}

  /** Starts a proxy for `host:port` that forwards everything. It listens on a free port of localhost by default. */
  static async to(host: string, port: number, own = { host: '127.0.0.1', port: 0 }): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: false });
    const ownPort = own.port === 0 ? await TcpProxy.listenOnFreePort(listener, own.host) : own.port;
    if (!listener.listening) await TcpProxy.listen(listener, own.host, ownPort);
    const proxy = new TcpProxy(listener, own.host, ownPort);
    listener.on('connection', (client) => proxy.link(client, dial({ host, port })));
    return proxy;
  }

  private static listen(listener: Server, host: string, port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(port, host, () => {
        listener.off('error', reject);
        resolve();
      });
    });
  }

  private static async listenOnFreePort(listener: Server, host: string): Promise<number> {
    for (let attempt = 1; ; attempt++) {
      const port = ownPorts.from + Math.floor(Math.random() * (ownPorts.to - ownPorts.from));
      try {
        await TcpProxy.listen(listener, host, port);
        return port;
      } catch (error) {
        if (!isInUse(error) || attempt === maxAttempts) throw error;
      }
    }
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
    this.resets = true;
    this.resetAll();
  }

  /** Keeps connections open and accepts new ones, but forwards nothing (a black hole), or only one direction. */
  silence(swallowed: readonly Swallowed[] = ['requests', 'replies']): void {
    for (const direction of swallowed) this.swallowed.add(direction);
  }

  /** Delays each chunk of a reply, in milliseconds. */
  delay(milliseconds: number): void {
    this.delayOfReplies = milliseconds;
  }

  /** Forwards the next matching request, waits for its reply, and resets the connection after at most `passed` bytes of it. */
  loseReply(matches: Matches, passed = 0): Promise<void> {
    return new Promise((done) => {
      this.lost = { matches, passed, done };
    });
  }

  /** Forwards the next matching request, and another chunk than its reply. */
  replaceReply(matches: Matches, replace: Replace): Promise<void> {
    return new Promise((done) => {
      this.replaced = { matches, replace, done };
    });
  }

  /** Forwards only the first bytes of the next matching request, and resets the connection. */
  cutRequest(matches: Matches, passed: number): Promise<void> {
    return new Promise((done) => {
      this.cut = { matches, passed, done };
    });
  }

  /**
   * Holds back the next matching request. Resolves then with a function that forwards it, also when its client has given up,
   * and that resolves when the server has answered.
   */
  holdRequest(matches: Matches): Promise<() => Promise<void>> {
    return new Promise((done) => {
      this.held = { matches, done };
    });
  }

  /** Forwards everything again. Connections that were blackholed stay broken. */
  async restore(): Promise<void> {
    if (this.swallowed.size > 0) this.resetAll();
    this.swallowed.clear();
    this.resets = false;
    this.delayOfReplies = 0;
    this.lost = undefined;
    this.replaced = undefined;
    this.cut = undefined;
    this.held = undefined;
    if (!this.listener.listening) await TcpProxy.listen(this.listener, this.host, this.port);
  }

  async close(): Promise<void> {
    if (this.listener.listening) await this.refuse();
    else this.resetAll();
  }

  private resetAll(): void {
    for (const link of this.links) this.end(link);
  }

  private end(link: Link): void {
    if (link.isHeld || !this.links.delete(link)) return;
    // Reset instead of a graceful close, which the client could take for a reply.
    link.client.resetAndDestroy();
    link.server.destroy();
  }

  private link(client: Socket, server: Socket): void {
    const link: Link = { client, server, isHeld: false };
    this.links.add(link);
    for (const socket of [client, server]) {
      socket.on('error', () => this.end(link));
      socket.on('close', () => this.end(link));
      socket.setNoDelay(true);
    }
    if (this.resets) this.end(link);
    let losing: typeof this.lost;
    let replacing: typeof this.replaced;
    client.on('data', (request) => {
      if (this.swallowed.has('requests')) return;
      if (this.cut?.matches(request)) {
        const { passed, done } = this.cut;
        this.cut = undefined;
        server.write(request.subarray(0, passed), () => this.end(link));
        done();
        return;
      }
      if (this.held?.matches(request)) {
        this.held.done(this.hold(link, request));
        this.held = undefined;
        return;
      }
      if (this.lost?.matches(request)) {
        losing = this.lost;
        this.lost = undefined;
      }
      if (this.replaced?.matches(request)) {
        replacing = this.replaced;
        this.replaced = undefined;
      }
      server.write(request);
    });
    server.on('data', (reply) => {
      if (this.swallowed.has('replies')) return;
      if (losing !== undefined) {
        const { passed, done } = losing;
        if (passed === 0) this.end(link);
        else client.write(reply.subarray(0, passed), () => this.end(link));
        done();
      } else if (replacing !== undefined) {
        const { replace, done } = replacing;
        replacing = undefined;
        const { reply: other, isLast } = replace(reply);
        if (isLast) client.end(other);
        else client.write(other);
        done();
      } else if (this.delayOfReplies === 0) client.write(reply);
      else setTimeout(() => client.write(reply), this.delayOfReplies);
    });
  }

  private hold(link: Link, request: Buffer): () => Promise<void> {
    link.isHeld = true;
    return () =>
      new Promise((answered) => {
        link.server.once('data', () => {
          link.isHeld = false;
          if (link.client.destroyed) this.end(link);
          answered();
        });
        link.server.write(request);
      });
  }
}

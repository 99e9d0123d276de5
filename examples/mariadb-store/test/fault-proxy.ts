import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** A fault: a lost reply, a lost request, or no more responses. */
export type NetworkFault = 'reply lost' | 'request lost' | 'silence';

/** A TCP proxy between the store and the server that can inject a fault. */
export class FaultProxy {
  private armed: { readonly word: RegExp; readonly fault: NetworkFault } | undefined;
  private isSilent = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client: Socket) => this.connect(client));
  }

  static async to(target: number): Promise<FaultProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FaultProxy(server, target);
  }

  get port(): number {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy is closed');
    return address.port;
  }

  /** Injects a fault at the commit of the next transaction with a word. */
  inject(word: string | RegExp, fault: NetworkFault): void {
    this.armed = { word: new RegExp(word), fault };
  }

  /** While the proxy is silent, no message passes. */
  silence(isSilent: boolean): void {
    this.isSilent = isSilent;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private connect(client: Socket): void {
    const server = createConnection(this.target, '127.0.0.1');
    let injected: NetworkFault | undefined;
    let fault: NetworkFault | undefined;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (this.isSilent) return;
      const text = data.toString('latin1');
      if (this.armed?.word.test(text)) {
        injected = this.armed.fault;
        this.armed = undefined;
      }
      if (text.endsWith('COMMIT')) fault = injected;
      if (fault === 'request lost') end();
      else server.write(data);
    });
    // The server replies after the transaction is committed.
    server.on('data', (data) => {
      if (fault === 'reply lost') end();
      else if (fault === undefined) client.write(data);
    });
  }
}

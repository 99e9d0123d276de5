import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';

/** What happens to the first message that holds a word: its reply is lost, it is lost itself, or nobody answers any more. */
export type Mishap = 'reply lost' | 'request lost' | 'silence';

/** Stands between the store and the server, and has a mishap when it is told to. */
export class Between {
  private awaited: { readonly word: string; readonly mishap: Mishap } | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client: Socket) => this.connect(client));
  }

  static async to(target: number): Promise<Between> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Between(server, target);
  }

  get port(): number {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('nobody listens any more');
    return address.port;
  }

  /** Waits for a message to the server that holds a word, once. */
  expect(word: string, mishap: Mishap): void {
    this.awaited = { word, mishap };
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private connect(client: Socket): void {
    const server = createConnection(this.target, '127.0.0.1');
    let mishap: Mishap | undefined;
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (data) => {
      if (this.awaited !== undefined && data.includes(this.awaited.word)) {
        mishap = this.awaited.mishap;
        this.awaited = undefined;
      }
      if (mishap === 'request lost') end();
      else server.write(data);
    });
    // The server answers when the transaction is committed.
    server.on('data', (data) => {
      if (mishap === 'reply lost') end();
      else if (mishap === undefined) client.write(data);
    });
  }
}

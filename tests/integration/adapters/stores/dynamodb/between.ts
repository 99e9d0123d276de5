import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as the engine gets it: the operation of its header X-Amz-Target, and its JSON. */
export interface Seen {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An answer on the wire. */
interface Reply {
  readonly status: number;
  readonly text: string;
}

type Forward = () => Promise<Reply>;

/** What happens to a request instead of being passed on: an answer, or none, with the connection open or reset. */
export type Mishap = (forward: Forward) => Promise<Reply | 'no answer' | 'half an answer' | 'reset'>;

/** An error as DynamoDB sends it. */
export const refusal =
  (type: string, status = 400, details: object = {}): Mishap =>
  async () => ({
    status,
    text: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'a text', ...details }),
  });

/** A transaction cancelled with these codes, in the order of its items. */
export const cancelled = (...codes: string[]): Mishap =>
  refusal('TransactionCanceledException', 400, { CancellationReasons: codes.map((Code) => ({ Code })) });

/** The engine does its work, perhaps others do theirs, and the connection is reset before the answer. */
export const lostReply =
  (meanwhile: () => Promise<unknown> = async () => undefined): Mishap =>
  async (forward) => {
    await forward();
    await meanwhile();
    return 'reset';
  };

/** The connection is reset before the engine hears of the request. */
export const reset: Mishap = async () => 'reset';
export const silence: Mishap = async () => 'no answer';
export const stall: Mishap = async () => 'half an answer';

/** Stands between a store and the engine, passes requests on, and lets mishaps happen to them. */
export class Between {
  readonly seen: Seen[] = [];
  private readonly mishaps: { readonly operation: string | undefined; readonly mishap: Mishap }[] = [];
  private always: Mishap | undefined;
  private server: Server | undefined;
  private port = 0;

  private constructor(private readonly engine: string) {}

  static async start(engine: string): Promise<Between> {
    const between = new Between(engine);
    await between.open();
    return between;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Lets mishaps happen to the next requests, or to the next ones of an operation. */
  next(mishaps: readonly Mishap[], operation?: string): void {
    this.mishaps.push(...mishaps.map((mishap) => ({ operation, mishap })));
  }

  /** Lets the same happen to every request; undefined ends it. */
  every(mishap: Mishap | undefined): void {
    this.always = mishap;
  }

  /** Listens, under the same port as before. */
  async open(): Promise<void> {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address !== null && typeof address === 'object') this.port = address.port;
  }

  /** Cuts every connection and refuses new ones. */
  async close(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (server === undefined) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
    this.seen.push({ operation, body: JSON.parse(body.toString() || '{}') });
    const forward = () => this.forward(request, body);
    const outcome = await (this.mishapOf(operation) ?? ((pass: Forward) => pass()))(forward);
    if (outcome === 'no answer') return;
    if (outcome === 'reset') {
      request.socket.resetAndDestroy();
    } else if (outcome === 'half an answer') {
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0', 'Content-Length': 100 }).write('{');
    } else {
      response.writeHead(outcome.status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(outcome.text);
    }
  }

  private mishapOf(operation: string): Mishap | undefined {
    const index = this.mishaps.findIndex((entry) => entry.operation === undefined || entry.operation === operation);
    return index === -1 ? this.always : this.mishaps.splice(index, 1)[0]?.mishap;
  }

  private async forward({ headers }: IncomingMessage, body: Buffer): Promise<Reply> {
    const names = ['x-amz-target', 'x-amz-date', 'authorization', 'content-type'];
    const passed = names.map((name): [string, string] => [name, String(headers[name])]);
    const reply = await fetch(this.engine, { method: 'POST', headers: passed, body: new Uint8Array(body) });
    return { status: reply.status, text: await reply.text() };
  }
}

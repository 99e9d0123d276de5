import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A recorded request: the operation in its header X-Amz-Target, and its JSON body. */
export interface Seen {
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A response of the engine. */
interface Reply {
  readonly status: number;
  readonly text: string;
  /** What DynamoDB calls its response. */
  readonly requestId?: string | undefined;
}

type Forward = () => Promise<Reply>;

/**
 * The treatment of a request that is not simply forwarded. It may forward the request itself, for instance to lose the
 * reply.
 */
export type InjectedFault = (
  forward: Forward,
) => Promise<Reply | 'no response' | 'partial response' | 'broken response' | 'reset'>;

/** An error as DynamoDB sends it. */
export const errorResponse =
  (type: string, status = 400, details: object = {}): InjectedFault =>
  async () => ({
    status,
    text: JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'a message', ...details }),
  });

/** A transaction cancelled with these codes, in the order of its items. */
export const cancelled = (...codes: string[]): InjectedFault =>
  errorResponse('TransactionCanceledException', 400, { CancellationReasons: codes.map((Code) => ({ Code })) });

/** Executes the request, then `meanwhile`, and resets the connection instead of replying, or within the reply. */
export const lostReply =
  (
    meanwhile: () => Promise<unknown> = async () => undefined,
    outcome: 'reset' | 'broken response' = 'reset',
  ): InjectedFault =>
  async (forward) => {
    await forward();
    await meanwhile();
    return outcome;
  };

/** Resets the connection without forwarding the request. */
export const reset: InjectedFault = async () => 'reset';
export const noResponse: InjectedFault = async () => 'no response';
export const partialResponse: InjectedFault = async () => 'partial response';
export const brokenResponse: InjectedFault = async () => 'broken response';

/** An HTTP proxy in front of the engine that records requests and injects faults. */
export class HttpFaultProxy {
  readonly seen: Seen[] = [];
  private readonly injected: { readonly operation: string | undefined; readonly fault: InjectedFault }[] = [];
  private always: InjectedFault | undefined;
  private server: Server | undefined;
  private port = 0;

  private constructor(private readonly engine: string) {}

  static async start(engine: string): Promise<HttpFaultProxy> {
    const proxy = new HttpFaultProxy(engine);
    await proxy.open();
    return proxy;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Injects one fault each into the next requests, or into the next requests with an operation. */
  next(faults: readonly InjectedFault[], operation?: string): void {
    this.injected.push(...faults.map((fault) => ({ operation, fault })));
  }

  /** Injects a fault into every request without one of its own; undefined stops it. */
  every(fault: InjectedFault | undefined): void {
    this.always = fault;
  }

  /** Listens, on the same port as before. */
  async open(): Promise<void> {
    this.server = createServer((request, response) => void this.handle(request, response));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address !== null && typeof address === 'object') this.port = address.port;
  }

  /** Closes every connection and refuses new ones. */
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
    const outcome = await (this.faultFor(operation) ?? ((pass: Forward) => pass()))(forward);
    if (outcome === 'no response') return;
    if (outcome === 'reset') {
      request.socket.resetAndDestroy();
    } else if (outcome === 'partial response' || outcome === 'broken response') {
      const end = outcome === 'broken response' ? () => request.socket.destroy() : undefined;
      response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0', 'Content-Length': 100 }).write('{', end);
    } else {
      const { status, text, requestId } = outcome;
      const id = requestId === undefined ? {} : { 'x-amzn-RequestId': requestId };
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0', ...id }).end(text);
    }
  }

  private faultFor(operation: string): InjectedFault | undefined {
    const index = this.injected.findIndex((entry) => entry.operation === undefined || entry.operation === operation);
    return index === -1 ? this.always : this.injected.splice(index, 1)[0]?.fault;
  }

  private async forward({ headers }: IncomingMessage, body: Buffer): Promise<Reply> {
    const names = ['x-amz-target', 'x-amz-date', 'authorization', 'content-type'];
    const passed = names.map((name): [string, string] => [name, String(headers[name])]);
    const reply = await fetch(this.engine, { method: 'POST', headers: passed, body: new Uint8Array(body) });
    const requestId = reply.headers.get('x-amzn-RequestId') ?? undefined;
    return { status: reply.status, text: await reply.text(), requestId };
  }
}

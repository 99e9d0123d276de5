import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** A request to a webhook. */
export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The time of arrival, from `performance.now()`. */
  readonly atMs: number;
}

/** Handles a request. Without a call of `response`, it gets no response. */
export type Behaviour = (event: ReceivedEvent, response: ServerResponse) => void;

const accepting: Behaviour = (_, response) => void response.writeHead(204).end();

/** A new secret of Standard Webhooks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** A webhook server that records the requests. */
export class WebhookReceiver {
  readonly secret = newWebhookSecret();
  readonly received: ReceivedEvent[] = [];
  behaviour: Behaviour = accepting;
  private readonly waiting = new Set<() => void>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** Listens on the given port, or on a free one. */
  static async open(port = 0): Promise<WebhookReceiver> {
    const server = createServer();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not a TCP port');
    const receiver = new WebhookReceiver(server, `http://127.0.0.1:${address.port}`);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { url = '', headers } = request;
      receiver.take({ path: url, headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() }, response);
    });
    return receiver;
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  /** The requests to a path. */
  at(path: string): readonly ReceivedEvent[] {
    return this.received.filter((event) => event.path === path);
  }

  /** Waits for a number of requests to a path. */
  async until(path: string, count: number): Promise<readonly ReceivedEvent[]> {
    while (this.at(path).length < count) await new Promise<void>((resolve) => this.waiting.add(resolve));
    return this.at(path);
  }

  /** Verifies the signature of an event, and returns its payload. Throws for a wrong signature. */
  verified({ body, headers }: ReceivedEvent): unknown {
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return new Webhook(this.secret).verify(body, texts);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private take(event: ReceivedEvent, response: ServerResponse): void {
    this.received.push(event);
    this.behaviour(event, response);
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

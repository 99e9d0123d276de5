import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A span as OTLP writes it in JSON. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 is internal, 2 a server, 3 a client. */
  readonly kind: number;
  readonly status: { readonly code: number; readonly message?: string };
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly unknown[];
  /** What the attributes of its resource say about the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A delivery as it arrived. */
export interface Delivery {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

const spansIn = (body: Buffer): readonly CollectedSpan[] => {
  const { resourceSpans } = JSON.parse(body.toString());
  const spans: CollectedSpan[] = [];
  for (const { resource, scopeSpans } of resourceSpans)
    for (const scope of scopeSpans)
      for (const span of scope.spans)
        spans.push({
          ...span,
          attributes: valuesOf(span.attributes),
          resource: valuesOf(resource.attributes),
        });
  return spans;
};

/** A collector of traces: OTLP over HTTP. */
export class Collector {
  readonly deliveries: Delivery[] = [];
  /** What it answers with; undefined lets those who deliver wait. */
  status: number | undefined = 200;
  private readonly server: Server;

  private constructor() {
    this.server = createServer(async (request, response: ServerResponse) => {
      const body = await buffer(request);
      this.deliveries.push({ url: request.url, headers: request.headers, body });
      if (this.status !== undefined) response.writeHead(this.status).end();
    });
  }

  /** Listens on a port of this machine: a free one, unless it is given. */
  static async start(port = 0): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve, reject) => {
      collector.server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return collector;
  }

  get port(): number {
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not a TCP port');
    return address.port;
  }

  /** Every span that arrived in JSON. */
  get spans(): readonly CollectedSpan[] {
    return this.deliveries.flatMap(({ body }) => spansIn(body));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

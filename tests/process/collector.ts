import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A span in the JSON format of OTLP. */
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
  /** The attributes of the resource, which describe the process. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A request with exported spans. */
export interface ExportRequest {
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

/** A collector of traces that receives OTLP over HTTP. */
export class Collector {
  readonly requests: ExportRequest[] = [];
  /** The status of the responses; undefined sends none. */
  status: number | undefined = 200;
  private readonly server: Server;

  private constructor() {
    this.server = createServer(async (request, response: ServerResponse) => {
      const body = await buffer(request);
      this.requests.push({ url: request.url, headers: request.headers, body });
      if (this.status !== undefined) response.writeHead(this.status).end();
    });
  }

  /** Listens on a local port, by default a free one. */
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

  /** All spans that were exported as JSON. */
  get spans(): readonly CollectedSpan[] {
    return this.requests.flatMap(({ body }) => spansIn(body));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

import { Agent, request } from 'node:http';
import { clientHeaders } from '../process/installation.ts';

/** A response. */
export type HttpResponse = {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
};

/**
 * Why there is no response: `refused` when the service did not accept the connection (or never took it from the
 * backlog), otherwise the error of the connection.
 */
export type ConnectionFailure = string;

/** Calls the service over keep-alive connections. */
export class Caller {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    readonly url: string,
    private readonly timeoutMs = 10_000,
  ) {}

  /** The response; undefined when the connection broke, so that the outcome of the request is unknown. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse | undefined> {
    const outcome = await this.attempt(method, path, body, headers);
    return typeof outcome === 'string' ? undefined : outcome;
  }

  /** The response, or why there is none. */
  attempt(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpResponse | ConnectionFailure> {
    return new Promise((resolve) => {
      const sent = request(
        `${this.url}${path}`,
        { method, agent: this.agent, headers: { ...clientHeaders, ...headers }, timeout: this.timeoutMs },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => resolve('cut off'));
          response.on('close', () => {
            const { statusCode: status = 0, headers } = response;
            resolve(response.complete ? { status, body: Buffer.concat(chunks).toString(), headers } : 'cut off');
          });
        },
      );
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const notAccepted = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && !sent.reusedSocket);
        resolve(notAccepted ? 'refused' : (error.code ?? error.message));
      });
      sent.on('timeout', () => sent.destroy());
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The path of a user's resource. */
export const at = (address: string): string => `/users?email=${encodeURIComponent(address)}`;

/** What a caller sees of a response, without what differs between any two. */
export const bytesOf = (response: HttpResponse | undefined): unknown => {
  if (response === undefined) throw new Error('no response');
  const { status, headers, body } = response;
  const { date: _, 'x-request-id': id = '', ...others } = headers;
  return { status, headers: others, body: body.replaceAll(String(id), '') };
};

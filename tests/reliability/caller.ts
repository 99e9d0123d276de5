import { Agent, request } from 'node:http';
import { clientHeaders } from '../process/installation.ts';

/** What came back. */
export type Answer = {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
};

/**
 * Why there is no answer: `refused` when the service took no connection (or left it in the system's queue, which it did
 * not look into any more), otherwise what became of the connection.
 */
export type Unanswered = string;

/** Calls the service over kept-alive connections. */
export class Caller {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    readonly url: string,
    private readonly patience = 10_000,
  ) {}

  /** The answer; undefined when the connection ended first, and nobody knows what became of the request. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    const outcome = await this.attempt(method, path, body, headers);
    return typeof outcome === 'string' ? undefined : outcome;
  }

  /** The answer, or why there is none. */
  attempt(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | Unanswered> {
    return new Promise((resolve) => {
      const sent = request(
        `${this.url}${path}`,
        { method, agent: this.agent, headers: { ...clientHeaders, ...headers }, timeout: this.patience },
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
        const untaken = error.code === 'ECONNREFUSED' || (error.code === 'ECONNRESET' && !sent.reusedSocket);
        resolve(untaken ? 'refused' : (error.code ?? error.message));
      });
      sent.on('timeout', () => sent.destroy());
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** The path of a user. */
export const at = (address: string): string => `/users?email=${encodeURIComponent(address)}`;

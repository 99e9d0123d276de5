import { Agent, request } from 'node:http';
import { clientHeaders } from '../bootstrap/installation.ts';

/** What came back; undefined when the connection ended first, and nobody knows what became of the request. */
export type Answer = {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
};

/** Calls the service over kept-alive connections, and takes a broken one for an answer that is not known. */
export class Caller {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    readonly url: string,
    private readonly patience = 10_000,
  ) {}

  call(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer | undefined> {
    return new Promise((resolve) => {
      const sent = request(
        `${this.url}${path}`,
        { method, agent: this.agent, headers: { ...clientHeaders, ...headers }, timeout: this.patience },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', () => resolve(undefined));
          response.on('close', () => {
            const { statusCode: status = 0, headers } = response;
            resolve(response.complete ? { status, body: Buffer.concat(chunks).toString(), headers } : undefined);
          });
        },
      );
      sent.on('error', () => resolve(undefined));
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

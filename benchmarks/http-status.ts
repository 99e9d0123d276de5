import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** The status of a GET; undefined without a response. `fresh` uses a new connection. */
export const statusOf = (
  url: string,
  headers: Readonly<Record<string, string>> = {},
  fresh = false,
): Promise<number | undefined> =>
  new Promise((resolve) => {
    const sent = request(url, { headers, agent: fresh ? false : agent, timeout: 10_000 }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve(undefined));
    });
    sent.on('error', () => resolve(undefined));
    sent.on('timeout', () => sent.destroy());
    sent.end();
  });

/** Closes idle connections. */
export const closeConnections = (): void => agent.destroy();

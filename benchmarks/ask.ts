import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true });

/** The status of an answer to a GET; undefined when there was none. `fresh` asks over a connection of its own. */
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

/** Closes the connections that were kept. */
export const hangUp = (): void => agent.destroy();

import { type IncomingHttpHeaders, request } from 'node:http';
import type { Log } from '../../../../../application/ports/log.ts';
import { decodeConfiguration } from '../../../../../bootstrap/configuration/index.ts';
import { startService } from '../../../../../bootstrap/service.ts';

/** A line of the log. */
export interface Line {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The local address from which the request is sent. */
  readonly from?: string;
}

export interface AdminResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The admin port of a running service, and the lines of its log. */
export interface AdminPort {
  readonly url: string;
  readonly lines: readonly Line[];
  ask(path: string, asked?: Asked): Promise<AdminResponse>;
  stop(): Promise<void>;
}

/** Sends a request with any Host header and local address, which `fetch` does not allow. */
export const ask = (url: string, { method = 'GET', headers = {}, from }: Asked = {}): Promise<AdminResponse> =>
  new Promise((resolve, reject) => {
    const { hostname: host, port, pathname, search } = new URL(url);
    const options = { host, port, path: pathname + search, method, headers, agent: false } as const;
    request({ ...options, ...(from && { localAddress: from }) })
      .once('error', reject)
      .once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      })
      .end();
  });

/** Starts a service with an in-memory database and further blocks of its configuration. */
export const startAdminPort = async (blocks: Readonly<Record<string, unknown>> = {}): Promise<AdminPort> => {
  const lines: Line[] = [];
  const write =
    (level: Line['level']): Log['info'] =>
    (fields, message) =>
      void lines.push({ level, fields: { ...fields }, message });
  const log: Log = { info: write('info'), warn: write('warn'), error: write('error') };
  const { server, ...others } = blocks;
  const document = {
    database: { type: 'memory' },
    ...others,
    server: { host: '127.0.0.1', port: 0, adminPort: 0, ...Object(server) },
  };
  const { configuration } = await decodeConfiguration('the configuration', document, log);
  const { adminUrl, stop } = await startService(configuration, log);
  return { url: adminUrl, lines, ask: (path, asked) => ask(adminUrl + path, asked), stop };
};

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { closedPort } from '../support/tcp-servers.ts';

/** The blocks of config/local.yaml, with which `npm start` runs, on free ports. */
export const localConfiguration = async (): Promise<Readonly<Record<string, unknown>>> => {
  const blocks = parse(await readFile(new URL('../../config/local.yaml', import.meta.url), 'utf8'));
  const port = await closedPort();
  return { ...blocks, server: { host: '127.0.0.1', port, adminPort: 0, publicUrl: `http://127.0.0.1:${port}` } };
};

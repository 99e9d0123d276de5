import { readFileSync } from 'node:fs';
import type { ClientConfig } from 'pg';
import { Fault } from '../../../application/fault.ts';
import { isLocalHost, parseConnectionString } from './connection-string.ts';
import { passwordFrom } from './password.ts';

interface TargetOptions {
  readonly connectionString: string;
  /** Certificates in PEM format. */
  readonly caFile: string | null;
  readonly passwordFile: string | null;
  readonly passwordCommand: readonly string[] | null;
}

const contentOf = (path: string | undefined): string | undefined => {
  try {
    return path === undefined ? undefined : readFileSync(path, 'utf8');
  } catch {
    throw new Fault('store_rejected', 'PostgreSQL: a file that the connection string names cannot be read');
  }
};

/**
 * The options of the driver for each host. Nothing of them is undefined that it would read from variables instead. Throws a
 * Fault for a file that cannot be read.
 */
export const serversOf = ({ connectionString, caFile, ...sources }: TargetOptions): readonly ClientConfig[] => {
  const target = parseConnectionString(connectionString);
  if (typeof target === 'string') throw new Fault('store_rejected', `PostgreSQL: the connection string ${target}`);
  const { hosts, database, user, files } = target;
  const certificates = caFile ?? contentOf(files.ca);
  const isEncrypted =
    target.isEncrypted ?? (certificates !== undefined || !hosts.every(({ host }) => isLocalHost(host)));
  // Undefined certificates mean those of Node.js.
  const tls = { ca: certificates, cert: contentOf(files.cert), key: contentOf(files.key) };
  const password = passwordFrom({ ...sources, password: target.password });
  return hosts.map((host) => ({ ...host, database, user, password, ssl: isEncrypted && tls }));
};

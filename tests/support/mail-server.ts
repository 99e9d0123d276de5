import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ReceivedMail, readMail } from '../../sdk/contract/received-mail.ts';

/** A self-signed certificate for a host, also as a file for `NODE_EXTRA_CA_CERTS`. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
  remove(): Promise<void>;
}

export const certificateFor = async (host: string, notAfterDate?: Date): Promise<Certificate> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ...(notAfterDate && { notAfterDate }),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-certificate-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, cert);
  return { key, cert, file, remove: () => rm(folder, { recursive: true }) };
};

export const user = 'mailer';
export const password = 'confidential password';

/** A mail server that records what it receives. */
export interface MailServer {
  readonly port: number;
  /** The received mails, decoded. */
  mails(): Promise<readonly ReceivedMail[]>;
  /** Removes the recorded mails. */
  clear(): void;
  /** The number of connections so far, and of open ones. */
  readonly connections: { total: number; open: number };
  /** Whether the last mail was received over TLS. */
  secured(): boolean;
  close(): Promise<void>;
}

/** Starts a mail server on a free port. By default it requires STARTTLS and the password of `user`. */
export const startMailServer = async (
  { key, cert }: Certificate,
  overrides: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> => {
  const received: Buffer[] = [];
  const connections = { total: 0, open: 0 };
  let secured = false;
  const server = new SMTPServer({
    key,
    cert,
    logger: false,
    // Includes idle connections that clients keep for the next mail.
    closeTimeout: 1,
    onAuth: (auth, _session, done) => {
      const known = auth.username === user && auth.password === password;
      done(
        known ? null : new Error(`Invalid login of ${auth.username} ${auth.password}`),
        known ? { user } : undefined,
      );
    },
    onConnect: (_session, done) => {
      connections.total += 1;
      connections.open += 1;
      done();
    },
    onClose: () => {
      connections.open -= 1;
    },
    onData: (stream, session, done) => {
      secured = session.secure;
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        received.push(Buffer.concat(parts));
        done();
      });
    },
    ...overrides,
  });
  // The server reports an error when a client refuses its certificate.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a TCP server has a port');
  return {
    port: address.port,
    mails: () => Promise.all(received.map(readMail)),
    clear: () => received.splice(0),
    connections,
    secured: () => secured,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

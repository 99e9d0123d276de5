import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type ReceivedMail, readMail } from '../../sdk/contract/received-mail.ts';

/** A certificate for a host, signed by itself, in a file that vouches for it. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
  readonly file: string;
  remove(): Promise<void>;
}

export const certificateFor = async (host: string): Promise<Certificate> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: host }] }],
  });
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-certificate-'));
  const file = join(folder, 'ca.pem');
  await writeFile(file, cert);
  return { key, cert, file, remove: () => rm(folder, { recursive: true }) };
};

export const user = 'mailer';
export const password = 'canary of the mail server';

/** A mail server that keeps what it gets. */
export interface MailServer {
  readonly port: number;
  /** Every mail so far, decoded. */
  mails(): Promise<readonly ReceivedMail[]>;
  /** Forgets the mails so far. */
  forget(): void;
  /** How many connections were made, and how many of them are open. */
  readonly connections: { made: number; open: number };
  /** Whether the last mail came over TLS. */
  secured(): boolean;
  close(): Promise<void>;
}

/** Starts one, on a free port, that takes mails of `user` only, after STARTTLS; `differences` change that. */
export const startMailServer = async (
  { key, cert }: Certificate,
  differences: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> => {
  const received: Buffer[] = [];
  const connections = { made: 0, open: 0 };
  let secured = false;
  const server = new SMTPServer({
    key,
    cert,
    logger: false,
    // Connections that are kept for the next mail are ended too.
    closeTimeout: 1,
    onAuth: (auth, _session, done) => {
      const known = auth.username === user && auth.password === password;
      done(
        known ? null : new Error(`Invalid login of ${auth.username} ${auth.password}`),
        known ? { user } : undefined,
      );
    },
    onConnect: (_session, done) => {
      connections.made += 1;
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
    ...differences,
  });
  // A client that refuses the certificate is an error to the server.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new TypeError('a server on TCP has a port');
  return {
    port: address.port,
    mails: () => Promise.all(received.map(readMail)),
    forget: () => received.splice(0),
    connections,
    secured: () => secured,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

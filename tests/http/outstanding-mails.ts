import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import { administrated, pathOf } from '../../sdk/contract/http/administration.ts';
import { type Client, newAddress } from '../../sdk/contract/http/client.ts';
import { type Database, Harness, publicUrl } from '../../sdk/contract/http/harness.ts';
import { type ReceivedMail, readMail } from '../../sdk/contract/received-mail.ts';
import { eventually } from '../support/eventually.ts';
import { sqliteDatabase } from './sqlite-database.ts';

/** A mail of which the link or code was not used yet. */
export interface OutstandingMail {
  readonly kind: MailKind;
  /** The token of the link, or the code. */
  readonly secret: string;
  /** The link under the address of the service of the test; undefined if the mail has a code. */
  readonly url: string | undefined;
}

/** An attempt that failed on a busy machine is repeated within a minute. */
const arrivalTimeoutMs = 90_000;

const codeKey = 'a key of thirty-two bytes or more';

/** Each is a form of the mails that the configuration can choose. The codes have one key, which must not mix them up. */
export const forms = {
  link: { email: { confirmPage: true, tokenLifetime: '1h' }, recovery: { attempts: 1_000 } },
  code: {
    email: { form: 'code', codeKey, attempts: 1_000, tokenLifetime: '1h' },
    recovery: { form: 'code', codeKey, attempts: 1_000 },
  },
} as const;

export type Form = keyof typeof forms;

/** A user, and the mails whose links or codes work. */
export interface MailedUser {
  readonly address: string;
  readonly mails: readonly OutstandingMail[];
}

/** A service on SQLite that sends every kind of mail with a token or a code. */
export class EveryMail {
  private path = '';
  private readonly read = new Map<string, Promise<ReceivedMail>>();
  private readonly harness = new Harness({
    ...sqliteDatabase,
    open: async () => {
      const opened: Awaited<ReturnType<Database['open']>> = await sqliteDatabase.open();
      this.path = String(Object(opened.yaml).path);
      return opened;
    },
  });

  constructor(private readonly form: Form) {}

  async client(): Promise<Client> {
    return (await this.service()).client;
  }

  /** A user with a password, to whom every mail was sent that such a user can get. */
  async user(): Promise<MailedUser> {
    const client = await this.client();
    const { address, password } = await client.create();
    const query = { email: address };
    const next = newAddress();
    expect((await client.post('/verify', { query, password })).status).to.equal(200);
    expect((await client.post('/recovery', { query })).status).to.equal(202);
    expect((await client.put('/users', { query, password, body: { email: { address: next } } })).status).to.equal(200);
    const mails = [
      ...(await this.mailsTo(client, address, {
        '/verify': 'verification',
        '/recovery': 'recovery',
        '/change/cancel': 'changeNotice',
      })),
      ...(await this.mailsTo(client, next, { '/change': 'change' })),
    ];
    return { address, mails };
  }

  /** An invited user without a password, in the same way. */
  async invited(): Promise<MailedUser> {
    const { client, root } = await this.service();
    const address = newAddress();
    expect((await root.post('/admin/users', { body: { email: { address } } })).status).to.equal(201);
    expect((await root.post(`${pathOf(address)}/send-verification`)).status).to.equal(200);
    expect((await client.post('/recovery', { query: { email: address } })).status).to.equal(202);
    const kinds = { '/invitation': 'invitation', '/verify': 'verification', '/recovery': 'recovery' } as const;
    return { address, mails: await this.mailsTo(client, address, kinds) };
  }

  /** Everything that the database has of a user, as text; the user may have another address now. */
  stored(address: string): string {
    const database = new Sqlite(this.path, { readonly: true });
    try {
      const rows = database.prepare('SELECT * FROM users WHERE key = ?').all(address.toLowerCase());
      return JSON.stringify(rows);
    } finally {
      database.close();
    }
  }

  close(): Promise<void> {
    return this.harness.close();
  }

  /** Reads each mail once: many tests wait for mails in one process, which sends them too. */
  private async allMails(): Promise<readonly ReceivedMail[]> {
    const { directory } = await this.harness.queuedEmail();
    for (const name of (await readdir(directory)).filter((file) => file.endsWith('.eml')))
      if (!this.read.has(name)) this.read.set(name, readFile(join(directory, name)).then(readMail));
    return Promise.all(this.read.values());
  }

  private async service() {
    const { email, recovery } = forms[this.form];
    return administrated(this.harness, {
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      email: { ...(await this.harness.queuedEmail()), confirmChange: true, ...email },
      recovery,
      invitations: {},
      admin: { createUsers: true },
    });
  }

  /** The mails to an address, one for each of `kinds`, which are by the paths of their links. */
  private async mailsTo(
    client: Client,
    address: string,
    kinds: Readonly<Record<string, MailKind>>,
  ): Promise<readonly OutstandingMail[]> {
    const expected = Object.values(kinds).sort();
    return eventually(async () => {
      const received = (await this.allMails()).filter(({ to }) => to === address);
      const mails = received.map((mail) => outstanding(mail, client.url, kinds));
      expect(mails.map(({ kind }) => kind).sort()).to.deep.equal(expected);
      return mails;
    }, arrivalTimeoutMs);
  }
}

const outstanding = (
  { text, subject }: ReceivedMail,
  url: string,
  kinds: Readonly<Record<string, MailKind>>,
): OutstandingMail => {
  const [code] = /^\d{6}$/m.exec(text) ?? [];
  if (code !== undefined)
    return { kind: subject.includes('password') ? 'recovery' : 'verification', secret: code, url: undefined };
  const link = new URL(/https:\S+/.exec(text)?.[0] ?? '');
  const kind = kinds[link.pathname];
  if (kind === undefined) throw new Error(`no kind of mail has this link: ${link.pathname}`);
  return { kind, secret: link.searchParams.get('token') ?? '', url: link.href.replace(publicUrl, url) };
};

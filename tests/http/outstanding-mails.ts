import Sqlite from 'better-sqlite3';
import { expect } from 'chai';
import type { MailKind } from '../../application/outgoing/mail-queue.ts';
import { type Account, type Client, newAddress } from '../../sdk/contract/http/client.ts';
import { type Database, Harness, publicUrl } from '../../sdk/contract/http/harness.ts';
import type { ReceivedMail } from '../../sdk/contract/received-mail.ts';
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

/** A service on SQLite that sends every kind of mail. */
export class EveryMail {
  private path = '';
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
    const { email, recovery } = forms[this.form];
    const { client } = await this.harness.service({
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      email: { ...(await this.harness.queuedEmail()), confirmChange: true, ...email },
      recovery,
    });
    return client;
  }

  /** A user to whom every kind of mail was sent. */
  async user(): Promise<{ readonly account: Account; readonly mails: readonly OutstandingMail[] }> {
    const client = await this.client();
    const account = await client.create();
    const { address, password } = account;
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
    return { account, mails };
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

  /** The mails to an address, one for each of `kinds`, which are by the paths of their links. */
  private async mailsTo(
    client: Client,
    address: string,
    kinds: Readonly<Record<string, MailKind>>,
  ): Promise<readonly OutstandingMail[]> {
    const { directory } = await this.harness.queuedEmail();
    const expected = Object.values(kinds).sort();
    return eventually(async () => {
      const received = (await this.harness.mailsIn(directory)).filter(({ to }) => to === address);
      const mails = received.map((mail) => outstanding(mail, client.url, kinds));
      expect(mails.map(({ kind }) => kind).sort()).to.deep.equal(expected);
      return mails;
    }, 20_000);
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

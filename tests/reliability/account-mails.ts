import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { type AcceptedMail, killInTurn, Provider, type RequestingClient, repeatedMails } from './killed-mails.ts';
import type { RandomStream } from './random.ts';

const password = 'a password of the notices';
const admin = { application: 'root', secret: 'of the administrator of the notices' };
const asAdmin = { Authorization: `Basic ${Buffer.from(`${admin.application}:${admin.secret}`).toString('base64')}` };

/** The last mail of a killed process is due again when its claim ends: the operation timeout and 5 s. */
const operationTimeout = '5s';
/** A mail that failed in several rounds waits for up to 5 minutes. */
const timeoutMs = 330_000;

/** A change that leads to one mail, to an address that gets no other. */
interface Change {
  /** Whether there is a user before it, with `password`. */
  readonly isOfUser: boolean;
  readonly status: number;
  make(caller: Caller, root: Caller, address: string): ReturnType<Caller['call']>;
}

const invitations: Readonly<Record<string, Change>> = {
  invited: {
    isOfUser: false,
    status: 201,
    make: (_, root, address) => root.call('POST', '/admin/users', { email: { address } }, asAdmin),
  },
};

const ofUser = (make: Change['make']): Change => ({ isOfUser: true, status: 200, make });

const noticed: Readonly<Record<string, Change>> = {
  password: ofUser((caller, _, address) =>
    caller.call('PUT', '/users', { email: { address }, password: 'another password' }, { password }),
  ),
  address: ofUser((caller, _, address) =>
    caller.call('PUT', at(address), { email: { address: `moved-${address}` } }, { password }),
  ),
  state: ofUser((_, root, address) =>
    root.call('POST', `/admin/users/${encodeURIComponent(address)}/disable`, { reason: 'a test' }, asAdmin),
  ),
};

const signUp: Change['make'] = (caller, _, address) =>
  caller.call('POST', '/users', { email: { address }, password }, { Prefer: 'quiet' });

const signUps: Readonly<Record<string, Change>> = {
  unknown: { isOfUser: false, status: 202, make: signUp },
  known: { isOfUser: true, status: 202, make: signUp },
};

/** A client that makes one change after another, each of a new user. */
class Changer implements RequestingClient {
  /** The addresses of acknowledged changes. */
  readonly made: string[] = [];
  private step = 0;

  constructor(
    private readonly name: string,
    private readonly changes: Readonly<Record<string, Change>>,
  ) {}

  get acknowledged(): number {
    return this.made.length;
  }

  async request({ url, adminUrl }: Serving, isOver: () => boolean): Promise<void> {
    const [caller, root] = [new Caller(url), new Caller(adminUrl)];
    let hasResponded = true;
    while (hasResponded && !isOver()) hasResponded = await this.change(caller, root);
    caller.close();
    root.close();
  }

  /** Whether the service responded. */
  private async change(caller: Caller, root: Caller): Promise<boolean> {
    const all = Object.entries(this.changes);
    const [kind, change] = all[this.step++ % all.length] ?? [];
    if (change === undefined) return false;
    const address = `${kind}-${this.name}-${this.step}@example.com`;
    if (change.isOfUser) {
      const created = await caller.call('POST', '/users', { email: { address }, password });
      if (created === undefined) return false;
      expect(created.status, created.body).to.equal(201);
    }
    const changed = await change.make(caller, root, address);
    if (changed === undefined) return false;
    expect(changed.status, changed.body).to.equal(change.status);
    this.made.push(address);
    return true;
  }
}

/** The mails to each address, one for each Message-ID. */
const mailsByRecipient = (
  accepted: readonly AcceptedMail[],
): ReadonlyMap<string, ReadonlyMap<string, AcceptedMail>> => {
  const mails = new Map<string, Map<string, AcceptedMail>>();
  for (const mail of accepted) {
    const ofRecipient = mails.get(mail.to) ?? new Map<string, AcceptedMail>();
    mails.set(mail.to, ofRecipient.set(mail.messageId, mail));
  }
  return mails;
};

/** The answer says whether the token of a mail is the outstanding one. */
const opened =
  (path: string) =>
  async (caller: Caller, { to, token }: AcceptedMail): Promise<void> => {
    const answer = await caller.call('GET', `${path}?${new URLSearchParams({ email: to, token })}`);
    expect(answer?.status, answer?.body).to.equal(200);
  };

/** What is tested with kills: changes, with the blocks that they need, and what to do with each mail at the end. */
interface Tested {
  readonly mails: string;
  readonly changes: Readonly<Record<string, Change>>;
  readonly blocks: object;
  use?(caller: Caller, mail: AcceptedMail): Promise<void>;
}

/** A round kills one of two services that share the queue. In every third round the mail provider is down. */
const killed = async (
  database: Database,
  { mails: what, changes, blocks, use }: Tested,
  rounds: number,
  random: RandomStream,
) => {
  const { yaml, dispose } = await database.open();
  const installation = await Installation.create();
  const provider = new Provider();
  await provider.start();
  try {
    await installation.configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, publicUrl: 'https://users.example.com' },
      database: yaml,
      operationTimeout,
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      email: { type: 'smtp', host: '127.0.0.1', port: provider.port, fromAddress: 'a@example.com', queue: true },
      admin: { keys: [admin] },
      ...blocks,
    });
    const changers = Array.from({ length: 8 }, (_, index) => new Changer(String(index), changes));
    const { serving, interruptions } = await killInTurn(
      rounds,
      random,
      installation,
      provider,
      changers,
      admin,
      timeoutMs,
    );
    const accepted = await Promise.all(provider.accepted);
    const mails = mailsByRecipient(accepted);
    const made = changers.flatMap((changer) => changer.made);
    const lost = made.filter((address) => !mails.has(address));
    expect(lost, 'changes without a mail').to.deep.equal([]);
    const doubled = [...mails].filter(([, ofRecipient]) => ofRecipient.size > 1).map(([address]) => address);
    expect(doubled, 'changes with two mails').to.deep.equal([]);
    const caller = new Caller(serving.url);
    for (const [, ofRecipient] of mails) for (const mail of ofRecipient.values()) await use?.(caller, mail);
    caller.close();
    const repeated = repeatedMails(accepted, interruptions);
    return `${rounds} kills, ${made.length} ${what}, none lost, ${repeated} sent twice`;
  } finally {
    await installation.dispose();
    await provider.stop();
    await dispose();
  }
};

const tested = (database: Database, name: string, changes: Tested): Guarantee => ({
  name: `every acknowledged ${name} unless the answer of the provider is lost, also when services are killed and the provider is down`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 180_000,
  run: (rounds, random) => killed(database, changes, rounds, random),
});

/** Mails to users whom administrators create without a password. */
export const invitationMails = (database: Database): Guarantee =>
  tested(database, `invitation on ${database.name} is mailed with a link that works, and mailed once`, {
    mails: 'invitations',
    changes: invitations,
    blocks: { admin: { keys: [admin], createUsers: true }, invitations: {} },
    use: opened('/invitation'),
  });

/** Mails about changes of passwords, addresses and states. */
export const noticeMails = (database: Database): Guarantee =>
  tested(database, `change on ${database.name} of which the user is told leads to one notice, sent once`, {
    mails: 'notices',
    changes: noticed,
    blocks: { notices: ['password', 'address', 'state'] },
  });

/** Mails to people who sign up quietly: a request that is answered in the background leads to one. */
export const quietSignUpMails = (database: Database): Guarantee =>
  tested(database, `quiet sign-up on ${database.name} leads to one mail, a link that works or a notice, sent once`, {
    mails: 'quiet sign-ups',
    changes: signUps,
    blocks: {
      privacy: { hideUnknownUsers: true },
      signUp: { quiet: { url: 'https://app.example.com/sign-in', interval: '1ms' } },
    },
    use: async (caller, mail) => {
      if (mail.to.startsWith('known-')) expect(mail.token, 'a token for a known address').to.equal('');
      else await opened('/verify')(caller, mail);
    },
  });

import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Database } from '../../sdk/contract/http/harness.ts';
import { readMail } from '../../sdk/contract/received-mail.ts';
import { Installation, type Serving } from '../process/installation.ts';
import { eventually } from '../support/eventually.ts';
import { at, Caller } from './caller.ts';
import type { Guarantee } from './guarantee.ts';
import { type Kill, kill, killDuringChanges } from './kill.ts';

const password = 'a password that is forgotten';

/** Requests and mails of a killed process are due again when their claims end: the operation timeout and 5 s each. */
const operationTimeout = '5s';
const timeoutMs = 60_000;

/** How many times each token is sent at once. */
const confirmationsAtOnce = 4;

/** A client that creates users and requests a recovery for them. */
class Requester {
  /** The addresses whose requests were acknowledged. */
  readonly acknowledged: string[] = [];
  private step = 0;

  constructor(private readonly name: string) {}

  /** Requests recoveries until the service was killed. */
  async request(caller: Caller): Promise<void> {
    for (;;) {
      const address = `forgot-${this.name}-${this.step++}@example.com`;
      if ((await caller.call('POST', '/users', { email: { address }, password })) === undefined) return;
      const sent = await caller.call('POST', at(address).replace('/users', '/recovery'));
      if (sent === undefined) return;
      expect(sent.status, sent.body).to.equal(202);
      this.acknowledged.push(address);
    }
  }
}

const acknowledgedBy = (requesters: readonly Requester[]): readonly string[] =>
  requesters.flatMap(({ acknowledged }) => acknowledged);

const killWhileRequesting = async (serving: Serving, requesters: readonly Requester[], chosen: Kill): Promise<void> => {
  const caller = new Caller(serving.url);
  const requesting = requesters.map((requester) => requester.request(caller));
  await killDuringChanges(serving.run.child, () => acknowledgedBy(requesters).length, chosen);
  await Promise.all(requesting);
  expect(await serving.run.ended).to.equal('SIGKILL');
  caller.close();
};

/** The token in the last mail to each address. */
const tokensIn = async (directory: string): Promise<ReadonlyMap<string, string>> => {
  const tokens = new Map<string, string>();
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.eml')).sort()) {
    const { to, text } = await readMail(await readFile(join(directory, name)));
    tokens.set(to, /token=([\w-]+)/.exec(text)?.[1] ?? '');
  }
  return tokens;
};

const confirm = async (caller: Caller, address: string, token: string): Promise<void> => {
  const body = { email: { address }, token, password: 'a password that replaces it' };
  const responses = await Promise.all(
    Array.from({ length: confirmationsAtOnce }, () => caller.call('POST', '/recovery/confirm', body)),
  );
  const statuses = responses.map((response) => response?.status);
  const accepted = statuses.filter((status) => status === 204);
  expect(accepted.length, `accepted confirmations with one token, of ${statuses.join(', ')}`).to.equal(1);
};

/** A round kills the service while it gets requests. At the end, the token of every mail is sent several times at once. */
export const recoveryMails = (database: Database): Guarantee => ({
  name: `every acknowledged request for a recovery on ${database.name} leads to a mail, also when the service is killed, and its token replaces the password exactly once`,
  rounds: { short: 3, long: 100 },
  timeoutMs: 180_000,
  run: async (rounds, random) => {
    const { yaml, dispose } = await database.open();
    const installation = await Installation.create();
    const outbox = join(installation.folder, 'outbox');
    await mkdir(outbox);
    try {
      await installation.configure({
        database: yaml,
        operationTimeout,
        passwordHash: { algorithm: 'sha256', serverSideHash: true },
        recovery: { pageUrl: 'https://app.example.com/new-password', attempts: 100 },
      });
      const requesters = Array.from({ length: 8 }, (_, index) => new Requester(String(index)));
      let serving = await installation.serve();
      for (let round = 0; round < rounds; round++) {
        await killWhileRequesting(serving, requesters, kill(random, 10, 30));
        serving = await installation.serve();
      }
      const requested = acknowledgedBy(requesters);
      await eventually(async () => {
        const tokens = await tokensIn(outbox);
        expect(
          requested.filter((address) => !tokens.has(address)),
          'requests without a mail',
        ).to.deep.equal([]);
      }, timeoutMs);
      const caller = new Caller(serving.url);
      const tokens = await tokensIn(outbox);
      for (const address of requested) await confirm(caller, address, tokens.get(address) ?? '');
      caller.close();
      return `${rounds} kills, ${requested.length} requests, none lost; of ${confirmationsAtOnce} confirmations at once exactly one succeeded`;
    } finally {
      await installation.dispose();
      await dispose();
    }
  },
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { namingOf } from '../../../../bootstrap/features/names-block.ts';
import { configured, problemsOf, warningsWith } from './read-configuration.ts';

const complete = { database: { type: 'sqlite' } };
const yamlOf = (signUp: object, blocks: object = {}): string => JSON.stringify({ ...complete, ...blocks, signUp });

describe('the block signUp', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-sign-up-'));
  });
  after(() => rm(folder, { recursive: true }));
  const file = async (content: string): Promise<string> => {
    const path = join(folder, 'domains');
    await writeFile(path, content);
    return path;
  };

  it('is undefined when it is absent, and has no rules by default', async () => {
    expect((await configured(JSON.stringify(complete))).signUp).to.equal(undefined);
    const { signUp } = await configured(yamlOf({}));
    expect(signUp).to.deep.include({ allowedDomains: null, blockedDomains: null, perClient: null, quiet: null });
  });

  it('has domains in one spelling, of a list or a file', async () => {
    const allowedDomains = await file('\uFEFF# comment\r\n\r\n  EXAMPLE.org.  # why\r\nBücher.example');
    const { signUp } = await configured(yamlOf({ allowedDomains, blockedDomains: ['Example.Com'] }));
    expect([...(signUp?.allowedDomains ?? [])]).to.deep.equal(['example.org', 'xn--bcher-kva.example']);
    expect([...(signUp?.blockedDomains ?? [])]).to.deep.equal(['example.com']);
  });

  it('names the line that is no domain, and refuses lists and files without domains', async () => {
    for (const line of ['*.example.com', 'jane@example.com', 'two words', 'example..com'])
      for (const allowedDomains of [['example.com', line], await file(`example.com\n${line}\n`)])
        expect(await problemsOf(yamlOf({ allowedDomains })), line).to.deep.equal([
          'signUp.allowedDomains: line 2 is not a domain such as example.com',
        ]);
    // What a YAML file has where a line is empty, or a variable is.
    expect(await problemsOf(yamlOf({ allowedDomains: ['example.com', null] }))).to.deep.equal([
      'signUp.allowedDomains: line 2 is not a domain such as example.com',
    ]);
    for (const blockedDomains of [[], await file('# nothing\n')])
      expect(await problemsOf(yamlOf({ blockedDomains }))).to.deep.equal(['signUp.blockedDomains: names no domain']);
    const [missing] = await problemsOf(yamlOf({ allowedDomains: join(folder, 'missing') }));
    expect(missing).to.contain('the file does not exist');
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await problemsOf(yamlOf({ allowedDomains: pipe }))).to.deep.equal([
      'signUp.allowedDomains: expected a file; this is a pipe, which cannot be read again',
    ]);
  });

  it('refuses a header without a limit', async () => {
    expect(await problemsOf(yamlOf({ clientHeader: 'X-Client' }))).to.deep.equal([
      'signUp.clientHeader: has no effect without perClient; remove one of them',
    ]);
  });

  it('warns when the address of the connection counts', async () => {
    const absent =
      'signUp.clientHeader is absent: all who sign up with an application that calls from one address share signUp.perClient';
    const [signUp, clientHeader] = [{ perClient: 20 }, 'X-Client'];
    expect(await warningsWith({ signUp, throttle: undefined })).to.include(absent);
    expect(await warningsWith({ signUp, throttle: {} })).to.include(absent);
    for (const blocks of [
      { signUp: {} },
      { signUp: { ...signUp, clientHeader } },
      { signUp, throttle: { clientHeader } },
    ])
      expect(await warningsWith({ throttle: {}, ...blocks })).not.to.include(absent);
  });

  it('needs names for one account per mailbox', async () => {
    expect(namingOf(await configured(yamlOf({ oneAccountPerMailbox: true })))).to.deep.equal({
      ids: false,
      unique: [],
      mailboxes: true,
      path: 'signUp.oneAccountPerMailbox',
    });
  });

  describe('with quiet sign-ups', () => {
    const email = { type: 'outbox', directory: 'mails', fromAddress: 'no-reply@example.com', queue: true };
    const server = { publicUrl: 'https://users.example.com' };
    const quiet = { url: 'https://app.example.com/sign-in' };
    const hidden = { hideUnknownUsers: true };

    it('leads to the page of the product by default', async () => {
      const productUrl = 'https://www.example.com/';
      const { signUp } = await configured(
        yamlOf({ quiet: {} }, { email: { ...email, productUrl }, server, privacy: hidden }),
      );
      expect(signUp?.quiet).to.deep.equal({ url: null, interval: 900_000 });
    });

    it('needs a queue for the mails, what the links in them start with, and links that hide unknown users', async () => {
      expect(await problemsOf(yamlOf({ quiet: {} }))).to.deep.equal([
        'signUp.quiet: needs email.queue: true, so that no mail is lost',
        'signUp.quiet: needs server.publicUrl, with which links start',
        'signUp.quiet: needs url, the page where people sign in; write it, or email.productUrl',
        'signUp.quiet: needs privacy.hideUnknownUsers: true, because GET /verify tells anybody whether a user exists',
      ]);
    });

    it('has an interval that leaves users time for other mails', async () => {
      const yamlWith = (interval: string, resendInterval: string): string =>
        yamlOf({ quiet: { ...quiet, interval } }, { email: { ...email, resendInterval }, server, privacy: hidden });
      expect((await configured(yamlWith('15m', '450s'))).signUp?.quiet?.interval).to.equal(900_000);
      expect(await problemsOf(yamlWith('15m', '451s'))).to.deep.equal([
        'signUp.quiet: needs an interval of at least twice email.resendInterval, or strangers who sign up keep users from other mails',
      ]);
    });

    it('for all needs the block', async () => {
      const privacy = { ...hidden, quietSignUp: true };
      expect(await problemsOf(JSON.stringify({ ...complete, privacy }))).to.deep.equal([
        'privacy.quietSignUp: needs the block signUp.quiet',
      ]);
    });

    it('needs users who may lack unique properties, which a quiet sign-up has not', async () => {
      const allowed = [{ name: 'username', type: 'string', unique: true }];
      const others = { email, server, privacy: hidden, properties: { allowSubset: false, allowed } };
      expect(await problemsOf(yamlOf({ quiet }, others))).to.deep.equal([
        'signUp.quiet: needs properties.allowSubset: true, because a quiet sign-up has no unique properties',
      ]);
    });
  });
});

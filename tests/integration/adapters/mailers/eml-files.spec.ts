import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { simpleParser } from 'mailparser';
import { emlFiles } from '../../../../adapters/mailers/eml-files/index.ts';
import type { Mail, Mailer } from '../../../../application/ports/mailer.ts';
import { mailerContract, mailTo } from '../../../../sdk/contract/mailer.ts';
import { faultOf } from '../../../../sdk/contract/outcomes.ts';
import { readMail } from '../../../../sdk/contract/received-mail.ts';
import { spellings } from '../../../../sdk/contract/spellings.ts';
import { ManualClock } from '../../../support/doubles/manual-clock.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const openIn = (
  directory: string,
  options: Readonly<Record<string, unknown>> = {},
  clock?: ManualClock,
  readOnly = false,
): Promise<Mailer> => {
  const decoded = emlFiles.configuration.decode({ directory, ...options });
  if (!isRight(decoded)) throw new TypeError('the options of the test are wrong');
  return emlFiles.open(decoded.right, { ...silentContext, clock, readOnly });
};

const filesIn = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory).catch(() => [])).sort().map((name) => join(directory, name));

mailerContract('outbox', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'latchkey-outbox-'));
  const directory = join(parent, 'data', 'outbox');
  const mailer = await openIn(directory);
  return {
    mailer,
    embedsImages: true,
    sent: async () => Promise.all((await filesIn(directory)).map(async (file) => readMail(await readFile(file)))),
    dispose: async () => {
      await mailer.close();
      await rm(parent, { recursive: true, force: true });
    },
  };
});

describe('the outbox', () => {
  let parent: string;
  let directory: string;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'latchkey-outbox-'));
    directory = join(parent, 'mails');
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('creates files and directory for the owner only', async () => {
    await (await openIn(directory)).send(mailTo('alice@example.com'));
    const [file = ''] = await filesIn(directory);
    expect(file).to.match(/\.eml$/);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect((await stat(directory)).mode & 0o777).to.equal(0o700);
  });

  it('names files so that they sort in the order of the mails, even if the clock goes back', async () => {
    const clock = new ManualClock(1_700_000_000_000);
    const mailer = await openIn(directory, {}, clock);
    const people = Array.from({ length: 12 }, (_, index) => `p${index}@example.com`);
    for (const [index, person] of people.entries()) {
      clock.time = 1_700_000_000_000 - (index % 3);
      await mailer.send(mailTo(person));
    }
    const files = await filesIn(directory);
    for (const file of files) expect(file).to.include('2023-11-14T221320.000Z');
    const mails = await Promise.all(files.map(async (file) => readMail(await readFile(file))));
    expect(mails.map(({ to }) => to)).to.deep.equal(people);
  });

  it('keeps the mails of two services that share a directory', async () => {
    const mailers = await Promise.all([openIn(directory), openIn(directory)]);
    await Promise.all(mailers.flatMap((mailer) => Array.from({ length: 10 }, () => mailer.send(mailTo('a@b.test')))));
    expect(await filesIn(directory)).to.have.length(20);
  });

  it('never exposes an incomplete file', async () => {
    const mailer = await openIn(directory);
    const mails = async () => (await filesIn(directory)).filter((file) => file.endsWith('.eml'));
    let sending = true;
    const send = mailer.send(mailTo('a@b.test', { html: 'A line of a large mail.\n'.repeat(200_000) })).finally(() => {
      sending = false;
    });
    const sizes = new Set<number>();
    while (sending) {
      for (const file of await mails()) sizes.add((await stat(file)).size);
      await new Promise(setImmediate);
    }
    await send;
    const [file = '', ...others] = await filesIn(directory);
    expect(others).to.deep.equal([]);
    sizes.add((await stat(file)).size);
    expect(sizes).to.have.property('size', 1);
  });

  it('writes no line that is too long for a mail', async () => {
    await (await openIn(directory)).send(mailTo('a@b.test', { text: 'ü'.repeat(2000), html: 'ü'.repeat(2000) }));
    const [file = ''] = await filesIn(directory);
    const lengths = (await readFile(file, 'latin1')).split('\r\n').map((line) => line.length);
    expect(Math.max(...lengths)).to.be.at.most(998);
  });

  it('does not encode the link in the text, so that it can be copied from the file', async () => {
    const link = `http://localhost:8080/verify?email=alice%40example.com&token=${'0b6f4c8e'.repeat(8)}&response_type=html`;
    await (await openIn(directory)).send(mailTo('alice@example.com', { text: `Grüße\n${link}\n` }));
    const [file = ''] = await filesIn(directory);
    expect((await readFile(file, 'utf8')).split('\r\n')).to.include.members(['Grüße', link]);
  });

  it('uses the configured sender with its display name', async () => {
    await (await openIn(directory, { fromAddress: '"Acmé, Inc." <no-reply@acme.test>' })).send(mailTo('a@b.test'));
    const [file = ''] = await filesIn(directory);
    const { from } = await simpleParser(await readFile(file));
    expect(from?.value).to.deep.equal([{ name: 'Acmé, Inc.', address: 'no-reply@acme.test' }]);
  });

  for (const to of new Set([
    ...spellings.flatMap(({ one, other }) => [one, other]),
    'jane@1.2',
    '"<boss>"@Example.com',
  ]))
    it(`writes the address as it is stored: ${to}`, async () => {
      await (await openIn(directory)).send(mailTo(to));
      const [file = ''] = await filesIn(directory);
      const [, written] = /^To: (.*)\r$/m.exec(await readFile(file, 'utf8')) ?? [];
      expect(written).to.equal(to.startsWith('"') ? `<${to}>` : to);
    });

  for (const to of ['jörg.李@example.com', 'jörg@bücher.example']) {
    it(`delivers to ${to}`, async () => {
      await (await openIn(directory)).send(mailTo(to));
      const [file = ''] = await filesIn(directory);
      expect((await readMail(await readFile(file))).to).to.equal(to);
    });
  }

  it('prevents header injection through an address', async () => {
    // The type EmailAddress does not allow this value.
    const to = 'alice@example.com\r\nBcc: eve@example.com\r\nX-Evil: 1' as Mail['to'];
    await (await openIn(directory)).send({ ...mailTo('a@b.test'), to });
    const [file = ''] = await filesIn(directory);
    const { headers } = await simpleParser(await readFile(file));
    const expected = ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type'];
    expect([...headers.keys()]).to.have.members(expected);
  });

  it('creates the directory again after it was deleted', async () => {
    const mailer = await openIn(directory);
    await mailer.send(mailTo('a@b.test'));
    await rm(directory, { recursive: true });
    await mailer.send(mailTo('a@b.test'));
    expect(await filesIn(directory)).to.have.length(1);
  });

  it('reports a failed write without the recipient, and recovers', async () => {
    await writeFile(directory, 'a file instead of the directory');
    const mailer = await openIn(directory);
    for (const work of [() => mailer.send(mailTo('alice@example.com')), () => mailer.check()]) {
      const fault = await faultOf(work());
      expect(fault.code).to.equal('mail_failed');
      expect(fault.message).to.include(directory).and.not.include('alice');
    }
    await rm(directory);
    await mailer.check();
    await mailer.send(mailTo('alice@example.com'));
    expect(await filesIn(directory)).to.have.length(1);
  });

  it('leaves no file after a check', async () => {
    await mkdir(directory);
    expect(await (await openIn(directory)).check()).to.include(directory);
    expect(await filesIn(directory)).to.deep.equal([]);
  });

  it('creates no directory in a check of a command that only reads, and says whether the service can', async () => {
    const mailer = await openIn(join(directory, 'deep'), {}, undefined, true);
    expect(await mailer.check()).to.include('which does not exist yet; the service creates it');
    expect(await readdir(parent)).to.deep.equal([]);
    await mkdir(directory);
    const file = join(directory, 'file');
    await writeFile(file, '');
    const below = await openIn(join(file, 'deep'), {}, undefined, true);
    expect((await faultOf(below.check())).message).to.include('does not exist, and this user may not create it');
    expect(await (await openIn(directory, {}, undefined, true)).check()).to.not.include('does not exist yet');
  });

  it('writes to ./data/outbox from latchkey@localhost by default', () => {
    const decoded = emlFiles.configuration.decode({});
    expect(isRight(decoded) && decoded.right).to.deep.equal({
      directory: './data/outbox',
      fromAddress: 'latchkey@localhost',
    });
  });
});

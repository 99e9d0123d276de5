import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Mailbox } from '../../../../adapters/mailers/outbox/mailbox.ts';
import { OutboxMailer } from '../../../../adapters/mailers/outbox/outbox-mailer.ts';
import { mailTo } from '../../../../sdk/contract/mailer.ts';

/** A message as another program may have put it there. */
const foreign = 'From: other@example.com\r\nTo: foreign@example.com\r\nSubject: Foreign\r\n\r\nHello\r\n';

describe('the mails of an outbox', () => {
  let place: string;
  let directory: string;
  let mailer: OutboxMailer;
  let mailbox: Mailbox;
  beforeEach(async () => {
    place = await mkdtemp(join(tmpdir(), 'latchkey-mailbox-'));
    directory = join(place, 'mails');
    mailer = new OutboxMailer(directory, 'Latchkey <no-reply@localhost>');
    mailbox = new Mailbox(directory);
  });
  afterEach(() => rm(place, { recursive: true, force: true }));

  const recipients = async (): Promise<readonly string[]> => (await mailbox.list()).map(({ to }) => to);

  it('are listed with their recipient, subject and time, the newest first', async () => {
    const started = Math.floor(Date.now() / 1000) * 1000;
    for (const name of ['one', 'two', 'three']) await mailer.send(mailTo(`${name}@example.com`));
    await mailer.send({ ...mailTo('jürgen@example.com'), subject: 'Grüße & mehr' });
    const mails = await mailbox.list();
    expect(mails.map(({ to }) => to)).to.deep.equal([
      'jürgen@example.com',
      'three@example.com',
      'two@example.com',
      'one@example.com',
    ]);
    expect(mails[0]?.subject).to.equal('Grüße & mehr');
    for (const { time } of mails) expect(time?.getTime()).to.be.within(started, Date.now());
  });

  it('are read from the folder once for all who ask at the same time, and again for those who ask later', async () => {
    await mailer.send(mailTo('one@example.com'));
    const [first, second] = await Promise.all([mailbox.list(), mailbox.list()]);
    expect(second).to.equal(first);
    await mailer.send(mailTo('two@example.com'));
    expect(await recipients()).to.deep.equal(['two@example.com', 'one@example.com']);
  });

  it('open with everything that was written', async () => {
    const mail = { ...mailTo('jane@example.com'), text: 'Grüße\nhttps://example.com/\n', html: '<p>Grüße ✓</p>\n' };
    await mailer.send(mail);
    const [listed] = await mailbox.list();
    const opened = await mailbox.find(listed?.id ?? '');
    expect(opened).to.deep.include({ from: 'no-reply@localhost', to: mail.to, subject: mail.subject });
    expect(opened?.text.trim()).to.equal(mail.text.trim());
    expect(opened?.html.trim()).to.equal(mail.html.trim());
  });

  it('are none where there is no folder', async () => {
    expect(await mailbox.list()).to.deep.equal([]);
    expect(await mailbox.find('anything')).to.equal(undefined);
  });

  it('are not disturbed by what is no mail', async () => {
    await mailer.send(mailTo('jane@example.com'));
    await writeFile(join(directory, 'notes.txt'), foreign);
    await writeFile(join(directory, '.unfinished.eml'), foreign);
    await writeFile(join(directory, 'noise.eml'), Buffer.from([0, 255, 13, 10, 13, 10, 0]));
    await writeFile(join(directory, 'empty.eml'), '');
    await writeFile(join(place, 'elsewhere.eml'), foreign);
    await symlink(join(place, 'elsewhere.eml'), join(directory, 'link.eml'));
    await mkdir(join(directory, 'folder.eml'));
    expect(await recipients()).to.deep.equal(['jane@example.com']);
  });

  it('may come from another program, and are then the last', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'zebra.eml'), foreign);
    await mailer.send(mailTo('jane@example.com'));
    expect(await recipients()).to.deep.equal(['jane@example.com', 'foreign@example.com']);
    expect((await mailbox.find('zebra'))?.text.trim()).to.equal('Hello');
  });

  it('are the newest 200 of very many', async () => {
    await mkdir(directory);
    const at = (n: number): string => `2026-01-01T0000${String(n % 60).padStart(2, '0')}.000Z-${n}`;
    const ids = Array.from({ length: 300 }, (_, n) => at(n)).sort();
    await Promise.all(ids.map((id) => writeFile(join(directory, `${id}.eml`), foreign)));
    expect((await mailbox.list()).map(({ id }) => id)).to.deep.equal(ids.slice(-200).reverse());
    expect(await mailbox.find(ids[0] ?? '')).to.equal(undefined);
  });

  it('are gone when their file is, without an error', async () => {
    await mailer.send(mailTo('jane@example.com'));
    const [mail] = await mailbox.list();
    await unlink(join(directory, `${mail?.id}.eml`));
    expect(await mailbox.find(mail?.id ?? '')).to.equal(undefined);
    expect(await mailbox.list()).to.deep.equal([]);
  });

  it('never are a file outside the folder', async () => {
    await mailer.send(mailTo('jane@example.com'));
    await writeFile(join(place, 'secret.eml'), foreign);
    await mkdir(join(directory, 'deeper'));
    await writeFile(join(directory, 'deeper', 'secret.eml'), foreign);
    for (const id of ['../secret', 'deeper/secret', join(place, 'secret'), '..\\secret', '', '.', '..', '../secret\0'])
      expect(await mailbox.find(id), id).to.equal(undefined);
  });
});

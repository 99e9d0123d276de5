import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { EmlReader } from '../../../../../adapters/mailers/eml-files/eml-reader.ts';
import { EmlFileMailer } from '../../../../../adapters/mailers/eml-files/index.ts';
import { mailTo } from '../../../../../sdk/contract/mailer.ts';

/** A mail that another program created. */
const foreign = 'From: other@example.com\r\nTo: foreign@example.com\r\nSubject: Foreign\r\n\r\nHello\r\n';

describe('the reader of an outbox', () => {
  let parent: string;
  let directory: string;
  let mailer: EmlFileMailer;
  let reader: EmlReader;
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'latchkey-outbox-'));
    directory = join(parent, 'mails');
    mailer = new EmlFileMailer(directory, 'Latchkey <no-reply@localhost>');
    reader = new EmlReader(directory);
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  const recipients = async (): Promise<readonly string[]> => (await reader.list()).map(({ to }) => to);

  it('lists mails with recipient, subject and time, newest first', async () => {
    const started = Math.floor(Date.now() / 1000) * 1000;
    for (const name of ['one', 'two', 'three']) await mailer.send(mailTo(`${name}@example.com`));
    await mailer.send({ ...mailTo('jürgen@example.com'), subject: 'Grüße & mehr' });
    const mails = await reader.list();
    expect(mails.map(({ to }) => to)).to.deep.equal([
      'jürgen@example.com',
      'three@example.com',
      'two@example.com',
      'one@example.com',
    ]);
    expect(mails[0]?.subject).to.equal('Grüße & mehr');
    for (const { time } of mails) expect(time?.getTime()).to.be.within(started, Date.now());
  });

  it('scans the directory once for concurrent calls, and again for later ones', async () => {
    await mailer.send(mailTo('one@example.com'));
    const [first, second] = await Promise.all([reader.list(), reader.list()]);
    expect(second).to.equal(first);
    await mailer.send(mailTo('two@example.com'));
    expect(await recipients()).to.deep.equal(['two@example.com', 'one@example.com']);
  });

  it('returns the complete mail', async () => {
    const mail = { ...mailTo('jane@example.com'), text: 'Grüße\nhttps://example.com/\n', html: '<p>Grüße ✓</p>\n' };
    await mailer.send(mail);
    const [listed] = await reader.list();
    const opened = await reader.find(listed?.id ?? '');
    expect(opened).to.deep.include({ from: 'Latchkey <no-reply@localhost>', to: mail.to, subject: mail.subject });
    expect(opened?.text.trim()).to.equal(mail.text.trim());
    expect(opened?.html.trim()).to.equal(mail.html.trim());
  });

  it('returns the link of the mail as the service wrote it, however long, and none of its text', async () => {
    const links = [
      'https://example.com/verify?email=jane%40example.com&token=0b8f&response_type=html',
      `https://example.com/change?email=${'%F0%9F%98%80'.repeat(60)}%40example.com&token=${'x'.repeat(43)}`,
      undefined,
    ];
    const text = 'https://evil.example/verify?token=1\nOpen the link.\n';
    for (const link of links)
      await mailer.send({ ...mailTo('jane@example.com', { text }), ...(link !== undefined && { link }) });
    const mails = await Promise.all((await reader.list()).map(({ id }) => reader.find(id)));
    expect(mails.map((mail) => mail?.link).reverse()).to.deep.equal(links);
  });

  it('lists no mails when the directory is missing', async () => {
    expect(await reader.list()).to.deep.equal([]);
    expect(await reader.find('anything')).to.equal(undefined);
  });

  it('skips files that are not mails', async () => {
    await mailer.send(mailTo('jane@example.com'));
    await writeFile(join(directory, 'notes.txt'), foreign);
    await writeFile(join(directory, '.unfinished.eml'), foreign);
    await writeFile(join(directory, 'noise.eml'), Buffer.from([0, 255, 13, 10, 13, 10, 0]));
    await writeFile(join(directory, 'empty.eml'), '');
    await writeFile(join(parent, 'elsewhere.eml'), foreign);
    await symlink(join(parent, 'elsewhere.eml'), join(directory, 'link.eml'));
    await mkdir(join(directory, 'folder.eml'));
    expect(await recipients()).to.deep.equal(['jane@example.com']);
  });

  it('lists mails of other programs last', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'zebra.eml'), foreign);
    await mailer.send(mailTo('jane@example.com'));
    expect(await recipients()).to.deep.equal(['jane@example.com', 'foreign@example.com']);
    expect((await reader.find('zebra'))?.text.trim()).to.equal('Hello');
  });

  it('lists the newest 200 mails', async () => {
    await mkdir(directory);
    const at = (n: number): string => `2026-01-01T0000${String(n % 60).padStart(2, '0')}.000Z-${n}`;
    const ids = Array.from({ length: 300 }, (_, n) => at(n)).sort();
    await Promise.all(ids.map((id) => writeFile(join(directory, `${id}.eml`), foreign)));
    expect((await reader.list()).map(({ id }) => id)).to.deep.equal(ids.slice(-200).reverse());
    expect(await reader.find(ids[0] ?? '')).to.equal(undefined);
  });

  it('shows the images of a mail, unless their copies would take many times its size', async () => {
    const images = [{ contentId: 'logo', type: 'image/png' as const, content: Buffer.alloc(100_000) }];
    for (const [places, isShown] of [
      [2, true],
      [2_000, false],
    ] as const) {
      await mailer.send({ ...mailTo(`${places}@example.com`), html: '<img src="cid:logo">'.repeat(places), images });
      const id = (await reader.list()).find(({ to }) => to.startsWith(`${places}@`))?.id ?? '';
      const html = (await reader.find(id))?.html ?? '';
      expect(html.includes('src="data:image/png;base64,AAAA')).to.equal(isShown);
      expect(html.length).to.be.below(16 * 1024 * 1024);
    }
  });

  it('finds no mail whose file was deleted', async () => {
    await mailer.send(mailTo('jane@example.com'));
    const [mail] = await reader.list();
    await unlink(join(directory, `${mail?.id}.eml`));
    expect(await reader.find(mail?.id ?? '')).to.equal(undefined);
    expect(await reader.list()).to.deep.equal([]);
  });

  it('reads no file outside of the directory', async () => {
    await mailer.send(mailTo('jane@example.com'));
    await writeFile(join(parent, 'secret.eml'), foreign);
    await mkdir(join(directory, 'deeper'));
    await writeFile(join(directory, 'deeper', 'secret.eml'), foreign);
    for (const id of ['../secret', 'deeper/secret', join(parent, 'secret'), '..\\secret', '', '.', '..', '../secret\0'])
      expect(await reader.find(id), id).to.equal(undefined);
  });
});

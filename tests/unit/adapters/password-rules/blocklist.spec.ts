import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Blocklist } from '../../../../adapters/password-rules/blocklist.ts';
import { rejection } from '../../../../sdk/contract/outcomes.ts';

const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex');
const ntlm = '8846f7eaee8fb117ad06bdd830b7586c';

describe('Blocklist', () => {
  let folder = '';
  let path = '';

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-list-'));
    path = join(folder, 'list.txt');
  });
  after(() => rm(folder, { recursive: true }));

  const listOf = async (content: string | Buffer): Promise<Blocklist> => {
    await writeFile(path, content);
    return Blocklist.open(path);
  };

  it('has the passwords of plain lines and of SHA1:COUNT lines, in one file', async () => {
    const list = await listOf(
      ['password', `${sha1('qwerty').toUpperCase()}:42`, `${sha1('letmein')}:1`, sha1('dragon'), 'pass word', ''].join(
        '\n',
      ),
    );
    for (const password of ['password', 'qwerty', 'letmein', 'dragon', 'pass word'])
      expect(list.has(password), password).to.equal(true);
    for (const password of ['Password', 'pass', 'qwerty ', sha1('qwerty'), ''])
      expect(list.has(password), password).to.equal(false);
    expect(list.size).to.deep.equal({ passwords: 5, skipped: 0, bytes: 1024 });
  });

  it('reads a byte order mark, CRLF, empty lines and a last line without an end', async () => {
    const list = await listOf(`\ufeffpassword\r\n\r\n\n${sha1('qwerty')}:7\r\nlast`);
    for (const password of ['password', 'qwerty', 'last']) expect(list.has(password), password).to.equal(true);
    expect(list.size).to.deep.equal({ passwords: 3, skipped: 0, bytes: 1024 });
  });

  it('skips lines that are no passwords, and counts them', async () => {
    const list = await listOf(
      Buffer.concat([
        Buffer.from(`kept\n${ntlm}:12\n${sha1('x')}:many\n${'long'.repeat(300)}\n`),
        Buffer.from([0x70, 0xe9, 0x0a]),
        Buffer.from('kept too'),
      ]),
    );
    expect(list.size).to.deep.include({ passwords: 2, skipped: 4 });
    expect([list.has('kept'), list.has('kept too'), list.has('long'.repeat(300))]).to.deep.equal([true, true, false]);
  });

  it('compares the bytes of UTF-8', async () => {
    const list = await listOf('pässwörd 🔑\n');
    expect(list.has('pässwörd 🔑')).to.equal(true);
    expect(list.has('pässwörd 🔑'.normalize('NFD'))).to.equal(false);
  });

  it('reads lines that cross the chunks of a file, and skips a line of several chunks', async () => {
    const words = Array.from({ length: 20_000 }, (_, index) => `password number ${index}`);
    const list = await listOf(`${words.join('\n')}\n${'x'.repeat(300_000)}\nend`);
    expect(words.every((word) => list.has(word)) && list.has('end')).to.equal(true);
    expect(list.size).to.deep.equal({ passwords: 20_001, skipped: 1, bytes: 40_004 });
  });

  it('refuses a file without a password, a folder and a missing file', async () => {
    for (const content of ['', '\r\n\n', `${ntlm}:3\n`])
      expect(await rejection(listOf(content)))
        .to.have.property('message')
        .that.includes('no line with a password');
    const utf16 = Buffer.from('\ufeffpassword\nqwerty\n', 'utf16le');
    for (const content of [utf16, Buffer.from(utf16).swap16()])
      expect(await rejection(listOf(content)))
        .to.have.property('message')
        .that.includes('in UTF-8');
    expect(await rejection(Blocklist.open(folder))).to.be.instanceOf(Error);
    expect(await rejection(Blocklist.open(join(folder, 'missing')))).to.have.property('code', 'ENOENT');
  });

  it('lets timers run while it reads', async () => {
    await writeFile(path, Array.from({ length: 200_000 }, (_, index) => `password number ${index}`).join('\n'));
    let turns = 0;
    const timer = setInterval(() => {
      turns++;
    }, 1);
    await Blocklist.open(path);
    clearInterval(timer);
    expect(turns).to.be.above(5);
  });
});

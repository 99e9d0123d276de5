import { createHash } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { clientHeaders, createUser, eachWithInstallation, program, readUser, type Serving } from './installation.ts';

const reloaded = 'the configuration was reloaded';
const read = 'the list of known passwords was read';

describe('the rules of new passwords', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  let users = 0;

  const configure = (workers: number, rules: object = {}, blocks: object = {}): Promise<void> =>
    installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, workers },
      passwordHash: { algorithm: 'sha256', serverSideHash: true },
      passwordRules: { blocklist: 'known.txt', ...rules },
      ...blocks,
    });

  const create = (url: string, password: string): Promise<number> =>
    createUser(url, `user-${++users}@example.com`, password);

  /** Writes another list under the name of the configured one, as docs/password-rules.md says. */
  const replaceList = async (content: string): Promise<void> => {
    await installation().write('known.new', content);
    await rename(join(installation().folder, 'known.new'), join(installation().folder, 'known.txt'));
  };

  const linesOf = ({ run }: Serving, message: string): readonly unknown[] =>
    run.log.filter(({ msg }) => msg === message);

  for (const workers of [1, 2]) {
    it(`read the list again on SIGHUP, in ${workers === 1 ? 'one process' : 'every worker'}`, async () => {
      await installation().write('known.txt', 'first password\n');
      await configure(workers);
      const serving = await installation().serve();
      expect(linesOf(serving, read)).to.have.lengthOf(workers);
      expect([await create(serving.url, 'first password'), await create(serving.url, 'second password')]).to.deep.equal(
        [400, 201],
      );
      await replaceList(`second password\n${createHash('sha1').update('third password').digest('hex')}:3\n`);
      serving.run.child.kill('SIGHUP');
      // The workers use it only once all of them have read it.
      await eventually(async () => expect(linesOf(serving, reloaded)).to.have.lengthOf(1), 30_000);
      expect(linesOf(serving, read)).to.have.lengthOf(2 * workers);
      for (let request = 0; request < 4 * workers; request++)
        expect([
          await create(serving.url, 'first password'),
          await create(serving.url, 'second password'),
          await create(serving.url, 'third password'),
        ]).to.deep.equal([201, 400, 400]);
      expect(await serving.stop()).to.equal(0);
    });
  }

  for (const workers of [1, 2]) {
    it(`read the list once more after a start during which SIGHUP came, with ${workers} ${workers === 1 ? 'process' : 'workers'}`, async () => {
      await installation().write('known.txt', 'a known password\n'.repeat(100_000));
      await configure(workers);
      const run = installation().node([program, 'serve', 'latchkey.yaml']);
      // The first line in the log is a warning about the algorithm, before the list is read.
      await run.until(() => run.stdout.includes('passwordHash.algorithm is sha256'));
      run.child.kill('SIGHUP');
      await run.until(() => run.log.filter(({ msg }) => msg === read).length === 2 * workers);
      expect(run.stdout).to.include('"listening"');
      run.child.kill('SIGTERM');
      expect(await run.ended).to.equal(0);
    });
  }

  it('keep the former list if the new one cannot be read, and log why', async () => {
    await installation().write('known.txt', 'first password\n');
    await configure(1);
    const serving = await installation().serve();
    const kept = 'the configuration cannot be reloaded; the former one is kept';
    await replaceList('\n\n');
    serving.run.child.kill('SIGHUP');
    await eventually(async () => expect(linesOf(serving, kept)).to.have.lengthOf(1), 30_000);
    await rm(join(installation().folder, 'known.txt'));
    serving.run.child.kill('SIGHUP');
    await eventually(async () => expect(linesOf(serving, kept)).to.have.lengthOf(2), 30_000);
    expect(serving.run.stdout).to.include('no line with a password').and.include('the file does not exist');
    expect([await create(serving.url, 'first password'), await create(serving.url, 'second password')]).to.deep.equal([
      400, 201,
    ]);
    expect(await serving.stop()).to.equal(0);
  });

  it('end the start and the check with 2 when the list is missing, and the start when it is empty', async () => {
    await configure(1);
    for (const command of ['serve', 'check']) {
      const { status, stderr } = await installation().command([command, 'latchkey.yaml']);
      expect([command, status]).to.deep.equal([command, 2]);
      expect(stderr).to.include('passwordRules.blocklist: the file does not exist');
    }
    await installation().write('known.txt', '\r\n');
    for (const workers of [1, 2]) {
      await configure(workers);
      const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
      expect([workers, status]).to.deep.equal([workers, 2]);
      expect(stderr).to.include('passwordRules.blocklist: the file has no line with a password');
    }
  });

  it('rate passwords in the built program', async () => {
    await installation().write('known.txt', 'first password\n');
    await configure(1, { minScore: 3 });
    const serving = await installation().serve();
    expect([await create(serving.url, 'password1'), await create(serving.url, 'k7#Qz!m2Wp9x')]).to.deep.equal([
      400, 201,
    ]);
    expect(await serving.stop()).to.equal(0);
  });

  it('apply to plain passwords of an import, and not to stored hashes', async () => {
    await installation().write('known.txt', 'first password\n');
    await configure(1, { minScore: 3 });
    const line = (address: string, password: string): string =>
      JSON.stringify({ email: { address }, password, creationTime: 1, lastUpdateTime: 1 });
    const passwords = ['first password', 'short', 'k7#Qz!m2Wp9x'];
    await installation().write(
      'plain.jsonl',
      passwords.map((word, n) => line(`plain-${n}@example.com`, word)).join('\n'),
    );
    const imported = await installation().command(['import', '--hash-passwords', 'plain.jsonl', 'latchkey.yaml']);
    expect(imported.status).to.equal(1);
    expect(imported.stdout).to.include('imported: 1').and.include('weak_password: 2 (lines 1, 2)');
    const stored = createHash('sha256').update('short').digest('hex');
    await installation().write('stored.jsonl', line('stored@example.com', stored));
    expect((await installation().command(['import', 'stored.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    const serving = await installation().serve();
    expect(await readUser(serving.url, 'stored@example.com', 'short')).to.equal(200);
    expect(await serving.stop()).to.equal(0);
  });

  for (const workers of [1, 2]) {
    it(`apply to a password that an administrator sets, with ${workers} ${workers === 1 ? 'process' : 'workers'}`, async () => {
      await installation().write('known.txt', 'first password\n');
      const secret = 'a secret of an administrator';
      await configure(workers, {}, { admin: { keys: [{ application: 'ops', secret }] } });
      const serving = await installation().serve();
      expect(await createUser(serving.url, 'jane@example.com')).to.equal(201);
      const set = async (password: string): Promise<unknown> => {
        const Authorization = `Basic ${Buffer.from(`ops:${secret}`).toString('base64')}`;
        const response = await fetch(`${serving.adminUrl}/admin/users/jane@example.com/password`, {
          method: 'PUT',
          headers: { ...clientHeaders, Authorization },
          body: JSON.stringify({ password }),
        });
        return [response.status, Object(await response.json()).code];
      };
      expect(await set('first password')).to.deep.equal([400, 'weak_password']);
      expect(await set('short')).to.deep.equal([400, 'weak_password']);
      expect(await set('second password')).to.deep.equal([200, undefined]);
      expect(await readUser(serving.url, 'jane@example.com', 'second password')).to.equal(200);
      expect(await serving.stop()).to.equal(0);
    });
  }
});

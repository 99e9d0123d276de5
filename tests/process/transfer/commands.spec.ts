import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { lineOf } from '../../../adapters/json-lines/user-line.ts';
import type { User } from '../../../domain/user.ts';
import { maxImportedChangeTime } from '../../../domain/user-limits.ts';
import { addressOf, userOf } from '../../../sdk/contract/arbitraries.ts';
import { edgeCaseUsers } from '../../../sdk/contract/edge-case-users.ts';
import { createUser, eachWithInstallation, readUser } from '../installation.ts';
import { type OpenedStore, onEachStore } from './opened-stores.ts';

/** More users than a page, users of every kind, and one with the fields that responses do not contain. */
const everyone: readonly User[] = [
  ...Object.values(edgeCaseUsers).map((user, n) => ({
    ...user,
    // Stores keep later times, which no clock can have given them.
    creationTime: Math.min(user.creationTime, maxImportedChangeTime),
    lastUpdateTime: Math.min(user.lastUpdateTime, maxImportedChangeTime),
    email: { ...user.email, address: addressOf(`Edge.${n}@Example.com`) },
  })),
  ...Array.from({ length: 450 }, (_, n) => userOf(`user-${n}@example.com`)),
  {
    ...userOf('late@example.com'),
    email: {
      address: addressOf('late@example.com'),
      verification: { verified: false, token: 'a', tokenTime: 5 },
      mailTime: 6,
    },
  },
];

const sorted = (lines: Iterable<string>): readonly string[] => [...lines].sort();
const linesOf = (text: string): readonly string[] => sorted(text.trimEnd().split('\n'));

/** The tests of export and import for one store. */
const roundTrip = (name: string, open: () => Promise<OpenedStore>): void => {
  describe(`latchkey export and import: ${name}`, function () {
    this.timeout(60_000);
    const installation = eachWithInstallation();
    let database: OpenedStore;
    beforeEach(async () => {
      database = await open();
    });
    afterEach(() => database.dispose());

    it('writes every user, and imports them unchanged but for the time of the import', async () => {
      const { folder } = installation();
      for (let start = 0; start < everyone.length; start += 30)
        await Promise.all(everyone.slice(start, start + 30).map((user) => database.store.insert(user)));
      await installation().configure({ database: database.block });
      const exported = await installation().command(['export', '--output', 'users.jsonl', 'latchkey.yaml']);
      expect(exported.stderr).to.equal(`ok    users.jsonl: users: ${everyone.length}\n`);
      expect([exported.status, exported.stdout]).to.deep.equal([0, '']);
      const written = await readFile(join(folder, 'users.jsonl'), 'utf8');
      expect(linesOf(written)).to.deep.equal(sorted(everyone.map(lineOf)));
      expect((await stat(join(folder, 'users.jsonl'))).mode & 0o777).to.equal(0o600);

      // Existing users stay unchanged.
      const again = await installation().command(['import', 'users.jsonl', 'latchkey.yaml']);
      expect(again.stdout).to.equal(
        `ok    imported: 0\nskip  user_exists: ${everyone.length} (lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …)\n`,
      );
      expect([again.status, again.stderr]).to.deep.equal([0, '']);

      const empty = await open();
      try {
        await installation().configure({ database: empty.block });
        const imported = await installation().command(['import', 'users.jsonl', 'latchkey.yaml']);
        expect(imported.stdout).to.equal(`ok    imported: ${everyone.length}\n`);
        expect(imported.status).to.equal(0);
        const second = await installation().command(['export', 'latchkey.yaml']);
        const withoutImport = (text: string) => linesOf(text.replaceAll(/"importTime":\d+,/g, ''));
        expect(withoutImport(second.stdout)).to.deep.equal(withoutImport(written));
      } finally {
        await empty.dispose();
      }
    });
  });
};

onEachStore(roundTrip);

describe('latchkey import', function () {
  this.timeout(60_000);
  const installation = eachWithInstallation();
  const person = (address: string, others: object = {}): string =>
    JSON.stringify({ email: { address }, password: 'correct horse', ...others });
  const hashed = (hash: object = {}) =>
    installation().configure({ passwordHash: { algorithm: 'bcrypt', serverSideHash: true, cost: 4, ...hash } });
  const write = (lines: readonly string[]) => installation().write('users.jsonl', lines.join('\n'));

  it('skips invalid lines, reports which and why, and imports the others', async () => {
    await installation().configure({ properties: { allowed: [{ name: 'n', type: 'integer' }] } });
    await write([
      person('one@example.com'),
      'secret words that are no JSON',
      person('nobody'),
      '',
      person('two@example.com', { n: 'secret word' }),
      person('ONE@example.com'),
      person('three@example.com', { filler: 'x'.repeat(360 * 1024) }),
      person('four@example.com', { creationTime: '1 January' }),
      `"${'x'.repeat(1024 * 1024)}"`,
      person('five@example.com', { n: 1 }),
    ]);
    const { status, stdout } = await installation().command([
      'import',
      'users.jsonl',
      'latchkey.yaml',
      '--report',
      'report.jsonl',
    ]);
    expect(status).to.equal(1);
    expect(stdout.trimEnd().split('\n')).to.have.members([
      'ok    imported: 2',
      'FAIL  invalid_json: 1 (line 2)',
      'FAIL  invalid_body: 2 (lines 3, 8)',
      'FAIL  invalid_properties: 1 (line 5)',
      'skip  user_exists: 1 (line 6)',
      'FAIL  user_too_large: 1 (line 7)',
      'FAIL  line_too_long: 1 (line 9)',
    ]);
    const report = await readFile(join(installation().folder, 'report.jsonl'), 'utf8');
    const entries = report
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ line }) => line)).to.deep.equal([2, 3, 5, 6, 7, 8, 9]);
    expect(entries.map(({ address }) => address)).to.deep.equal([
      ...[
        undefined,
        'nobody',
        'two@example.com',
        'ONE@example.com',
        'three@example.com',
        'four@example.com',
        undefined,
      ],
    ]);
    expect(entries.map(({ result }) => result)).to.deep.equal([
      ...['failed', 'failed', 'failed', 'exists', 'failed', 'failed', 'failed'],
    ]);
    expect(entries[1]).to.deep.equal({
      line: 3,
      address: 'nobody',
      result: 'failed',
      code: 'invalid_body',
      errors: [{ path: 'email.address', message: 'must be a valid email address' }],
    });
    // Addresses are the only values.
    expect(report).not.to.match(/secret|horse|January/);
    expect((await stat(join(installation().folder, 'report.jsonl'))).mode & 0o777).to.equal(0o600);
    const exported = await installation().command(['export', 'latchkey.yaml']);
    expect(exported.stdout.match(/"address":"[^"]*"/g)).to.deep.equal([
      '"address":"five@example.com"',
      '"address":"one@example.com"',
    ]);
  });

  it('skips a user whose state no administrator could set, and reports the line and the reason', async () => {
    const disabled = (state: object): string =>
      JSON.stringify({ email: { address: 'jane@example.com', disabledTime: 1, ...state }, password: 'correct horse' });
    await write([disabled({ disabledReason: 'x'.repeat(501) }), disabled({ disabledUntil: 9e15 }), disabled({})]);
    const args = ['import', 'users.jsonl', 'latchkey.yaml', '--report', 'report.jsonl'];
    const { status, stdout } = await installation().command(args);
    expect([status, stdout]).to.deep.equal([1, 'ok    imported: 1\nFAIL  invalid_body: 2 (lines 1, 2)\n']);
    const report = await readFile(join(installation().folder, 'report.jsonl'), 'utf8');
    expect(
      report
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).errors[0]),
    ).to.deep.equal([
      { path: 'email.disabledReason', message: 'must be a text of 1 to 500 characters' },
      { path: 'email.disabledUntil', message: 'must be whole milliseconds since the epoch, at most 8640000000000000' },
    ]);
  });

  it('refuses plain passwords if passwords are hashed, and hashes them with --hash-passwords', async () => {
    await hashed();
    await write([person('jane@example.com')]);
    const refused = await installation().command(['import', 'users.jsonl', 'latchkey.yaml']);
    expect([refused.status, refused.stdout]).to.deep.equal([
      1,
      'ok    imported: 0\nFAIL  unsuitable_password: 1 (line 1)\n',
    ]);
    const taken = await installation().command(['import', '--hash-passwords', 'users.jsonl', 'latchkey.yaml']);
    expect([taken.status, taken.stdout]).to.deep.equal([0, 'ok    imported: 1\n']);
    const { url } = await installation().serve();
    expect(await readUser(url, 'jane@example.com')).to.equal(200);
    expect(await readUser(url, 'jane@example.com', 'another')).to.equal(401);
  });

  it('imports hashes of other systems that are accepted, and refuses others and those above their limits', async () => {
    const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
    const environment = { FIREBASE_SIGNER_KEY: signerKey };
    // A secret in a block of the list.
    await hashed({ accept: ['phpass', { type: 'firebase-scrypt', signerKey: '${FIREBASE_SIGNER_KEY}' }] });
    const firebase =
      '$firebase-scrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
    await write(
      [
        '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
        firebase,
        '$P$SIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
        '{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ',
      ].map((password, index) => person(`user-${index}@example.com`, { password })),
    );
    const imported = await installation().command(['import', 'users.jsonl', 'latchkey.yaml'], environment);
    expect(imported.stdout).to.equal('ok    imported: 2\nFAIL  unsuitable_password: 2 (lines 3, 4)\n');
    const { url, run } = await installation().serve(environment);
    expect(await readUser(url, 'user-0@example.com', 'test12345')).to.equal(200);
    expect(await readUser(url, 'user-0@example.com', 'test12346')).to.equal(401);
    expect(await readUser(url, 'user-1@example.com', 'user1password')).to.equal(200);
    expect(await readUser(url, 'user-1@example.com', 'user2password')).to.equal(401);
    expect(run.stdout + run.stderr + imported.stderr).not.to.include(signerKey);
  });

  it('works while the service runs, and the service finds the imported users', async () => {
    const { url } = await installation().serve();
    expect(await createUser(url, 'here@example.com')).to.equal(201);
    await write([person('jane@example.com'), person('here@example.com')]);
    const { stdout } = await installation().command(['import', 'users.jsonl', 'latchkey.yaml']);
    expect(stdout).to.equal('ok    imported: 1\nskip  user_exists: 1 (line 2)\n');
    expect(await readUser(url, 'jane@example.com')).to.equal(200);
    const exported = await installation().command(['export', 'latchkey.yaml']);
    expect(exported.stderr).to.equal('ok    standard output: users: 2\n');
  });

  it('stores nothing with --dry-run, and skips lines with --from-line', async () => {
    await write([]);
    expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    await write([person('one@example.com'), person('nobody'), person('two@example.com')]);
    const trial = await installation().command(['import', '--dry-run', 'users.jsonl', 'latchkey.yaml']);
    expect([trial.status, trial.stdout]).to.deep.equal([
      1,
      'ok    would be imported: 2\nFAIL  invalid_body: 1 (line 2)\n',
    ]);
    expect((await installation().command(['export', 'latchkey.yaml'])).stdout).to.equal('');
    const rest = await installation().command(['import', '--from-line', '3', 'users.jsonl', 'latchkey.yaml']);
    expect([rest.status, rest.stdout]).to.deep.equal([0, 'ok    imported: 1\n']);
  });

  it('ends with 1 for a --from-line beyond the end, but not for the one after the last, which an interrupted import names', async () => {
    await write([person('one@example.com'), person('two@example.com')]);
    const from = (line: string) =>
      installation().command(['import', '--from-line', line, 'users.jsonl', 'latchkey.yaml']);
    const beyond = await from('4');
    expect([beyond.status, beyond.stderr]).to.deep.equal([
      1,
      'latchkey: users.jsonl: --from-line 4 is beyond the end; number of lines: 2\n',
    ]);
    expect((await from('3')).status).to.equal(0);
  });

  const misuses: Readonly<Record<string, readonly string[]>> = {
    'import takes the file of users and the configuration': ['import'],
    '--from-line takes the number of a line': ['import', 'users.jsonl', '--from-line', '0'],
    '--resume needs --output': ['export', '--resume'],
    '--output is an option of export and init': ['import', 'users.jsonl', '--output', 'x'],
    '--dry-run is an option of import and expire': ['serve', '--dry-run'],
    '--report is an option of import': ['latchkey.yaml', '--report', 'x'],
  };
  for (const [reason, args] of Object.entries(misuses))
    it(`ends with 2: ${reason}`, async () => {
      const { status, stderr } = await installation().command(args);
      expect(status).to.equal(2);
      expect(stderr).to.match(new RegExp(`^latchkey: ${reason}\n`));
    });

  it('creates a database for an import, and none for a dry run, which finds it empty, an export or a check', async () => {
    const { folder } = installation();
    const exported = await installation().command(['export', '--output', 'all.jsonl', 'latchkey.yaml']);
    expect([exported.status, exported.stdout, exported.stderr]).to.deep.equal([
      1,
      '',
      `latchkey: ${join(folder, 'users.db')}: the database does not exist\n`,
    ]);
    await write([person('jane@example.com'), person('nobody')]);
    const trial = await installation().command(['import', '--dry-run', 'users.jsonl', 'latchkey.yaml']);
    expect([trial.status, trial.stdout, trial.stderr]).to.deep.equal([
      1,
      'ok    would be imported: 1\nFAIL  invalid_body: 1 (line 2)\n',
      `warn  ${join(folder, 'users.db')} does not exist yet; the import creates it\n`,
    ]);
    await write([person('jane@example.com')]);
    expect((await installation().command(['import', '--dry-run', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    const checked = await installation().command(['check', 'latchkey.yaml']);
    expect(checked.status).to.equal(0);
    expect(checked.stdout).to.include(
      `ok    database (sqlite): ${join(folder, 'users.db')} does not exist yet; the service creates it\n`,
    );
    expect(await readdir(folder)).to.have.members(['latchkey.yaml', 'users.jsonl']);
    expect((await installation().command(['import', 'users.jsonl', 'latchkey.yaml'])).status).to.equal(0);
    expect((await installation().command(['export', 'latchkey.yaml'])).stdout).to.include('jane@example.com');
  });

  it('creates no database for a command about users who exist, which would do nothing and say that it is done', async () => {
    const { folder } = installation();
    await installation().configure({ users: { ids: true }, activity: { since: '2026-01-01' } });
    const commands = [['ids'], ['reindex'], ['expire', '--inactive', '90d'], ['person', '--erase']];
    for (const [command = '', ...options] of commands) {
      const who = command === 'person' ? ['jane@example.com'] : [];
      const { status, stdout, stderr } = await installation().command([command, ...options, 'latchkey.yaml', ...who]);
      const reason = `latchkey: ${join(folder, 'users.db')}: the database does not exist\n`;
      expect([command, status, stdout, stderr]).to.deep.equal([command, 1, '', reason]);
    }
    expect(await readdir(folder)).to.not.include('users.db');
  });

  it('ends with 1 if the users are in the memory of the service', async () => {
    await installation().configure({ database: { type: 'memory' } });
    await write([person('jane@example.com')]);
    for (const args of [['import', 'users.jsonl'], ['export']]) {
      const { status, stdout, stderr } = await installation().command([...args, 'latchkey.yaml']);
      expect([status, stdout, stderr]).to.deep.equal([
        1,
        '',
        'latchkey: database.type is memory: only the running service has its users\n',
      ]);
    }
  });

  it('ends with 1 and the reason for a file that cannot be opened or created', async () => {
    await installation().write('there', '');
    const words = async (...args: readonly string[]) => {
      const { status, stderr } = await installation().command(args);
      return [status, stderr];
    };
    expect(await words('import', 'none', 'latchkey.yaml')).to.deep.equal([
      1,
      'latchkey: none: no such file or folder\n',
    ]);
    await installation().write('half', '');
    await installation().write('half.position', '');
    expect(await words('import', 'half', 'latchkey.yaml')).to.deep.equal([
      1,
      'latchkey: half: the export of this file has not ended; continue it with --resume, or remove half.position\n',
    ]);
    expect(await words('import', '.', 'latchkey.yaml')).to.deep.equal([1, 'latchkey: .: is not a regular file\n']);
    expect(await words('import', 'there', 'latchkey.yaml', '--report', 'there')).to.deep.equal([
      1,
      'latchkey: there: exists already; name a new file\n',
    ]);
    expect((await words('export', '--output', 'there', 'latchkey.yaml'))[1]).to.match(
      /^latchkey: there: exists already/,
    );
    expect((await words('export', '--output', 'none', '--resume', 'latchkey.yaml'))[1]).to.match(
      /the file to continue does not exist/,
    );
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { FreshTable, region } from '../../integration/adapters/stores/dynamodb/fresh-table.ts';
import { ScratchDatabase } from '../../integration/adapters/stores/mongodb/scratch-database.ts';
import { ScratchSchema } from '../../integration/adapters/stores/postgresql/scratch-schema.ts';
import { engine } from '../../support/engines/index.ts';
import { withAwsCredentials } from '../../support/environment.ts';
import { sqliteNames } from '../../support/names/sqlite.ts';
import { postgresqlUrl } from '../../support/postgresql/index.ts';
import { clientHeaders, eachWithInstallation, type Installation, readUser } from '../installation.ts';

/** The exports hold the hashes of three passwords, made with the libraries of the systems' algorithms. */
const exportsFolder = fileURLToPath(new URL('exports/', import.meta.url));
const [jane, john, kim] = ['correct horse', 'battery staple', 'Grüße 42'];

/** UTF-8 in a header, as `fetch` takes it. */
const asHeader = (password: string): string => Buffer.from(password).toString('latin1');

interface Example {
  readonly system: string;
  readonly accept: readonly (string | object)[];
  /** The output of the import. */
  readonly output: readonly string[];
  /** The users who can sign in, and their passwords. */
  readonly passwords: Readonly<Record<string, string>>;
  /** The users to whom even the right password gives no access. */
  readonly disabled: Readonly<Record<string, string>>;
  /** One of the users as the API shows it, without the password. */
  readonly user: object;
}

const firebase: Example = {
  system: 'firebase',
  // The parameters of the example in https://github.com/firebase/scrypt, which are public.
  accept: [
    {
      type: 'firebase-scrypt',
      signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
      saltSeparator: 'Bw==',
      rounds: 8,
      memCost: 14,
    },
  ],
  output: [
    'ok    imported: 4',
    'FAIL  no_address: 1 (record 4)',
    'skip  user_exists: 1 (record 6)',
    'FAIL  invalid_body: 1 (record 7)',
    'warn  not carried over: linked_accounts: 1 (record 3)',
    'warn  not carried over: password: 1 (record 3)',
  ],
  passwords: { 'jane@example.com': jane, 'john@example.com': john },
  disabled: { 'disabled@example.com': jane },
  user: {
    email: { address: 'Jane@Example.com', verified: true, verificationToken: null },
    creationTime: 1700000000001,
    lastUpdateTime: 1700000000001,
    localId: 'fb-jane',
    displayName: 'Jane Doe, Jr.',
    photoUrl: 'https://example.com/jane.png',
    phoneNumber: '+15555550100',
    customAttributes: { role: 'editor', level: 1 },
  },
};

const supabase: Example = {
  system: 'supabase',
  accept: ['bcrypt', ...firebase.accept],
  output: [
    'ok    imported: 6',
    'FAIL  no_address: 1 (record 4)',
    'FAIL  deleted_user: 1 (record 6)',
    'warn  not carried over: outstanding_tokens: 1 (record 2)',
    'warn  not carried over: password: 1 (record 3)',
    'warn  not carried over: roles_and_groups: 1 (record 8)',
  ],
  passwords: { 'jane@example.com': jane, 'john@example.com': john, 'firebase@example.com': john },
  disabled: { 'banned@example.com': jane },
  user: {
    email: { address: 'jane@example.com', verified: true, verificationToken: null },
    creationTime: 1700000000001,
    lastUpdateTime: 1700006400001,
    id: '5f0c7a1e-0000-4000-8000-000000000011',
    raw_user_meta_data: { name: 'Jane "J" Doe', points: 3 },
    raw_app_meta_data: { provider: 'email', providers: ['email'] },
  },
};

const keycloak: Example = {
  system: 'keycloak',
  accept: ['argon2', 'pbkdf2'],
  output: [
    'ok    imported: 6',
    'FAIL  no_address: 1 (record 6)',
    'FAIL  invalid_body: 1 (record 8)',
    'FAIL  unsuitable_password: 1 (record 9)',
    'warn  not carried over: roles_and_groups: 1 (record 1)',
    'warn  not carried over: second_factors: 1 (record 1)',
    'warn  not carried over: linked_accounts: 1 (record 5)',
    'warn  not carried over: password: 1 (record 5)',
  ],
  passwords: { 'jane@example.com': jane, 'john@example.com': john, 'kim@example.com': kim },
  // The second one has to change the password.
  disabled: { 'disabled@example.com': john, 'old@example.com': jane },
  user: {
    email: { address: 'Jane@Example.com', verified: true, verificationToken: null },
    creationTime: 1700000000001,
    lastUpdateTime: 1700000000001,
    id: '5f0c7a1e-0000-4000-8000-000000000001',
    username: 'jane',
    firstName: 'Jane',
    lastName: 'Doe',
    attributes: { locale: ['de'], picture: ['https://example.com/jane.png'] },
  },
};

/** The examples by their file. */
const examples: Readonly<Record<string, Example>> = {
  'firebase.json': firebase,
  'firebase.csv': firebase,
  'keycloak.json': keycloak,
  'supabase.json': supabase,
  'supabase.csv': supabase,
  'auth0.jsonl': {
    system: 'auth0',
    accept: ['bcrypt'],
    output: [
      'ok    imported: 5',
      'FAIL  no_address: 1 (record 5)',
      'warn  not carried over: second_factors: 1 (record 1)',
      'warn  not carried over: other_members.logins_count: 1 (record 1)',
      'warn  not carried over: other_members.password_set_date: 1 (record 2)',
      'warn  not carried over: other_members.tenant: 2 (records 2, 3)',
      'warn  not carried over: other_members.connection: 2 (records 2, 3)',
      'warn  not carried over: other_members._tmp_is_unique: 1 (record 2)',
      'warn  not carried over: linked_accounts: 1 (record 4)',
      'warn  not carried over: password: 1 (record 4)',
    ],
    passwords: { 'jane@example.com': jane, 'john@example.com': john, 'kim@example.com': kim },
    disabled: { 'blocked@example.com': jane },
    user: {
      email: { address: 'Jane@Example.com', verified: true, verificationToken: null },
      creationTime: 1700000000001,
      lastUpdateTime: 1700006400001,
      user_id: 'auth0|6553f100aaaaaaaaaaaaaa01',
      name: 'Jane Doe',
      nickname: 'jane',
      picture: 'https://example.com/jane.png',
      user_metadata: { color: 'blue' },
      app_metadata: { plan: 'gold' },
    },
  },
  'auth0-import.json': {
    system: 'auth0',
    accept: ['argon2', 'bcrypt', 'sha256', 'scrypt', 'salted-digest'],
    // The last ones: MD4, HMAC, a password in UTF-16, and a salt before the password that is no text.
    output: ['ok    imported: 6', 'FAIL  unsuitable_password: 4 (records 7, 8, 9, 10)'],
    passwords: Object.fromEntries(
      ['bcrypt', 'argon2', 'sha256', 'scrypt', 'sha1', 'sha512'].map((name) => [`${name}@example.com`, jane]),
    ),
    disabled: {},
    user: { email: { address: 'bcrypt@example.com', verified: true, verificationToken: null } },
  },
  'documents.jsonl': {
    system: 'documents',
    accept: ['bcrypt', 'sha256'],
    output: [
      'ok    imported: 4',
      'FAIL  invalid_body: 1 (record 5)',
      'warn  not carried over: reserved_names: 1 (record 2)',
      'warn  not carried over: password: 1 (record 4)',
    ],
    // The first hash has a salt of 64 bytes.
    passwords: { 'jane@example.com': jane, 'john@example.com': john, 'kim@example.com': kim },
    disabled: {},
    user: {
      email: { address: 'Jane@Example.com', verified: true, verificationToken: 'b2c1' },
      creationTime: 1700000000001,
      lastUpdateTime: 1700006400001,
      name: 'Jane',
      tags: ['a', 1.5],
    },
  },
  'kratos.json': {
    system: 'kratos',
    accept: ['argon2', 'bcrypt', 'pbkdf2', 'scrypt'],
    output: [
      'ok    imported: 6',
      'FAIL  no_address: 1 (record 6)',
      'warn  not carried over: second_factors: 1 (record 1)',
      'warn  not carried over: other_members.schema_id: 6 (records 1, 2, 3, 4, 5, 7)',
      'warn  not carried over: other_members.schema_url: 6 (records 1, 2, 3, 4, 5, 7)',
      'warn  not carried over: other_members.state_changed_at: 6 (records 1, 2, 3, 4, 5, 7)',
      'warn  not carried over: linked_accounts: 1 (record 5)',
      'warn  not carried over: password: 1 (record 5)',
    ],
    passwords: {
      'jane@example.com': jane,
      'john@example.com': john,
      'kim@example.com': kim,
      'scrypt@example.com': jane,
    },
    disabled: { 'inactive@example.com': jane },
    user: {
      email: { address: 'Jane@example.com', verified: true, verificationToken: null },
      creationTime: 1700000000001,
      lastUpdateTime: 1700006400001,
      id: '5f0c7a1e-0000-4000-8000-000000000021',
      metadata_public: { plan: 'gold' },
      metadata_admin: { note: 'vip' },
      traits: { name: { first: 'Jane', last: 'Doe' } },
    },
  },
};

const configure = (installation: Installation, accept: Example['accept'], others: object = {}): Promise<void> => {
  const rehash = accept.includes('salted-digest');
  return installation.configure({
    passwordHash: { algorithm: 'argon2', serverSideHash: true, rehash, accept },
    ...others,
  });
};

/** Imports the file of a system with the command. */
const importFile = async (installation: Installation, file: string, system: string, ...options: readonly string[]) => {
  await cp(join(exportsFolder, file), join(installation.folder, file));
  return installation.command(['import', '--from', system, ...options, file, 'latchkey.yaml']);
};

/** Whether the report has a line for each user of these lines of the output, with the address and without hashes. */
const checkReport = async (path: string, output: Example['output']): Promise<void> => {
  const report = await readFile(path, 'utf8');
  expect(report).not.to.include('$');
  const entries = report
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const numbersOf = (start: RegExp): readonly number[] => [
    ...new Set(
      output
        .filter((line) => start.test(line))
        .flatMap((line) => line.match(/\d+(?=[,)])/g) ?? [])
        .map(Number),
    ),
  ];
  const noticed = /^warn .*: (?:password|linked_accounts|second_factors|outstanding_tokens|reserved_names):/;
  for (const [result, start] of [
    ['failed', /^FAIL/],
    ['exists', /^skip/],
    ['imported', noticed],
  ] as const) {
    const found = entries.filter((entry) => entry.result === result);
    expect(
      found.map(({ record }) => record),
      result,
    ).to.have.members(numbersOf(start));
    // A document that is malformed may have the address anywhere.
    for (const { code, address, errors } of found.filter((entry) => entry.errors?.[0]?.path !== 'document')) {
      if (code === 'no_address') expect(address).to.equal(undefined);
      else expect(address, JSON.stringify(errors)).to.be.a('string').and.not.equal('');
    }
  }
};

/** Imports an example, and signs its users in. */
const checkImport = async (installation: Installation, file: string, example: Example): Promise<void> => {
  const { system, output, passwords, disabled, user } = example;
  const { status, stdout, stderr } = await importFile(installation, file, system, '--report', 'report.jsonl');
  const isForgeable = file === 'firebase.csv';
  expect(stderr).to.match(
    isForgeable ? /^warn {2}\S+: a name in this form of the export can forge a user; .*\n$/ : /^$/,
  );
  expect(stdout.trimEnd().split('\n')).to.deep.equal(output);
  expect(status).to.equal(1);
  expect(stdout).not.to.match(/@|\$/);
  await checkReport(join(installation.folder, 'report.jsonl'), output);
  const { url } = await installation.serve();
  const [address = '', password = ''] = Object.entries(passwords)[0] ?? [];
  const headers = { ...clientHeaders, password };
  const response = await fetch(`${url}/users?email=${address}`, { headers });
  expect(await response.json()).to.deep.include(user);
  const statusOf = async (entry: readonly [string, string], suffix = '') =>
    `${entry[0]} ${await readUser(url, entry[0], asHeader(entry[1] + suffix))}`;
  for (const entry of Object.entries(passwords)) {
    expect(await statusOf(entry, '!')).to.equal(`${entry[0]} 401`);
    expect(await statusOf(entry)).to.equal(`${entry[0]} 200`);
  }
  for (const entry of Object.entries(disabled)) expect(await statusOf(entry)).to.equal(`${entry[0]} 403`);
};

describe('latchkey import --from', function () {
  // Each test starts several processes, one after the other.
  this.timeout(180_000);
  const installation = eachWithInstallation();
  const run = (file: string, system: string, ...options: readonly string[]) =>
    importFile(installation(), file, system, ...options);

  for (const [file, example] of Object.entries(examples))
    it(`${example.system}: imports ${file}, whose users sign in with their passwords`, async () => {
      await configure(installation(), example.accept);
      await checkImport(installation(), file, example);
    });

  it('runs the commands of docs/password-migration.md, which shows the output', async () => {
    const page = await readFile(new URL('../../../docs/password-migration.md', import.meta.url), 'utf8');
    expect(page).to.include(`\n${keycloak.output.join('\n')}\n`);
    const files: Readonly<Record<string, string | undefined>> = {
      firebase: 'firebase.json',
      keycloak: 'keycloak.json',
      supabase: 'supabase.csv',
      auth0: 'auth0.jsonl',
      kratos: 'kratos.json',
      documents: 'documents.jsonl',
    };
    const commands = page.match(/(?<=^latchkey )import --from .*$/gm) ?? [];
    expect(commands.length).to.be.above(Object.keys(files).length);
    await configure(installation(), ['bcrypt', 'pbkdf2', 'scrypt', 'sha256', ...firebase.accept]);
    for (const command of commands) {
      const [system = ''] = /(?<=--from )\w+/.exec(command) ?? [];
      const [name = ''] = /\S+(?= latchkey\.yaml$)/.exec(command) ?? [];
      await cp(join(exportsFolder, files[system] ?? ''), join(installation().folder, name));
      const { stdout, stderr } = await installation().command(command.split(' '));
      expect(`${command}: ${stderr}${stdout}`).to.match(
        /: (?:warn .* does not exist yet.*\n)?ok {4}(?:imported|would be imported): \d/,
      );
    }
  });

  describe('on MongoDB', () => {
    const uri = engine('mongodb');

    it('imports keycloak.json, whose users sign in with their passwords', async () => {
      const database = new ScratchDatabase(uri());
      try {
        await configure(installation(), keycloak.accept, { database: { type: 'mongodb', ...database.block } });
        await checkImport(installation(), 'keycloak.json', keycloak);
      } finally {
        await database.dispose();
      }
    });
  });

  describe('on PostgreSQL', () => {
    const url = postgresqlUrl();

    it('imports keycloak.json, whose users sign in with their passwords', async () => {
      const scratch = await ScratchSchema.create(url());
      try {
        await configure(installation(), keycloak.accept, { database: scratch.block });
        await checkImport(installation(), 'keycloak.json', keycloak);
      } finally {
        await scratch.dispose();
      }
    });
  });

  describe('on DynamoDB', () => {
    const endpoint = engine('dynamodb');
    withAwsCredentials();

    it('imports keycloak.json, whose users sign in with their passwords', async () => {
      const table = await FreshTable.create(endpoint());
      try {
        const block = { type: 'dynamodb', endpoint: endpoint(), region, tableName: table.name };
        await configure(installation(), keycloak.accept, { database: block });
        await checkImport(installation(), 'keycloak.json', keycloak);
      } finally {
        await table.dispose();
      }
    });
  });

  const lacking: Readonly<Record<string, readonly [string, string]>> = {
    'firebase.json': ['firebase', 'firebase-scrypt: 4 (records 1, 2, 5, 6)'],
    'firebase.csv': ['firebase', 'firebase-scrypt: 4 (records 1, 2, 5, 6)'],
    'keycloak.json': ['keycloak', 'pbkdf2: 3 (records 2, 3, 4)'],
    'supabase.csv': ['supabase', 'bcrypt: 4 (records 1, 2, 5, 8); firebase-scrypt: 1 (record 7)'],
    'auth0-import.json': [
      'auth0',
      'bcrypt: 1 (record 1); sha256: 1 (record 3); scrypt: 1 (record 4); salted-digest: 2 (records 5, 6)',
    ],
    'kratos.json': ['kratos', 'bcrypt: 2 (records 1, 7); pbkdf2: 1 (record 3); scrypt: 1 (record 4)'],
  };
  for (const [file, [system, algorithms]] of Object.entries(lacking))
    it(`stores nothing of ${file} while passwordHash.accept lacks an algorithm`, async () => {
      await configure(installation(), []);
      const { status, stdout, stderr } = await run(file, system);
      expect([status, stdout]).to.deep.equal([2, '']);
      const lines = (await readFile(join(installation().folder, 'latchkey.yaml'), 'utf8')).split('\n');
      const line = lines.findIndex((text) => text.includes('accept:')) + 1;
      expect(stderr).to.equal(
        `latchkey.yaml can't be used: one problem\n  line ${line}: passwordHash.accept: lacks algorithms of this file: ${algorithms}\n`,
      );
      expect(sqliteNames(join(installation().folder, 'users.db')).users.size).to.equal(0);
    });

  it('ends with 2 if passwords are stored without a hash, because every text would be a password', async () => {
    const { status, stderr } = await run('auth0.jsonl', 'auth0');
    expect(status).to.equal(2);
    expect(stderr).to.include('passwordHash.algorithm: simple stores passwords');
  });

  it('checks with --dry-run, starts at a record, and continues an earlier import', async () => {
    await configure(installation(), ['bcrypt']);
    const trial = await run('auth0.jsonl', 'auth0', '--dry-run');
    expect(trial.stdout).to.match(/^ok {4}would be imported: 5\nFAIL {2}no_address: 1 \(record 5\)\n/);
    expect(existsSync(join(installation().folder, 'users.db'))).to.equal(false);
    expect((await run('auth0.jsonl', 'auth0', '--from-line', '6')).stdout).to.equal('ok    imported: 1\n');
    expect((await run('auth0.jsonl', 'auth0')).stdout).to.match(
      /^ok {4}imported: 4\nFAIL {2}no_address: 1 \(record 5\)\nskip {2}user_exists: 1 \(record 6\)\n/,
    );
  });

  it('reports records that are not users, and a malformed table', async () => {
    await configure(installation(), ['bcrypt']);
    const records = ['{"email":"a@example.com","email_verified":"secret"}', '{"email":"b@exa', '[1]', '{"email":7}'];
    await installation().write('bad.json', `[${records.join(',\n')}`);
    const { status, stdout } = await installation().command([
      ...['import', '--from', 'auth0', '--report', 'report.jsonl', 'bad.json', 'latchkey.yaml'],
    ]);
    expect([status, stdout]).to.deep.equal([
      1,
      'ok    imported: 0\nFAIL  invalid_body: 1 (record 1)\nFAIL  invalid_json: 1 (record 2)\n',
    ]);
    expect(await readFile(join(installation().folder, 'report.jsonl'), 'utf8')).to.equal(
      '{"record":1,"address":"a@example.com","result":"failed","code":"invalid_body","errors":[{"path":"email_verified","message":"must be true or false"}]}\n' +
        '{"record":2,"result":"failed","code":"invalid_json","errors":[{"path":"","message":"must be valid JSON"}]}\n',
    );
    await installation().write('bad.csv', 'id,"email\n1,a@example.com\n');
    const table = await installation().command(['import', '--from', 'supabase', 'bad.csv', 'latchkey.yaml']);
    expect([table.status, table.stdout]).to.deep.equal([1, '']);
    expect(table.stderr).to.equal('latchkey: line 1: malformed CSV: a quote or a comma is not escaped\n');
  });

  it('skips a row that is not well-formed, names it and the JSON form of the export, and imports all others', async () => {
    await configure(installation(), firebase.accept);
    const rows = (await readFile(join(exportsFolder, 'firebase.csv'), 'utf8')).split('\n');
    rows.splice(1, 0, 'fb-joe,joe@example.com,true,,,"Joe "JJ" Doe, Jr.",,,,,,,,,,,,,,,,,,1700000000001,,,true,,');
    await installation().write('users.csv', rows.join('\n'));
    const command = ['import', '--from', 'firebase', 'users.csv', 'latchkey.yaml', '--report', 'report.jsonl'];
    const { status, stdout, stderr } = await installation().command(command);
    expect(stderr).to.include('warn  users.csv: a name in this form of the export can forge a user');
    expect([status, ...stdout.split('\n').slice(0, 3)]).to.deep.equal([
      1,
      'ok    imported: 4',
      'FAIL  invalid_csv: 1 (record 2): import the JSON form of the export, too',
      'FAIL  no_address: 1 (record 5)',
    ]);
    const [first = ''] = (await readFile(join(installation().folder, 'report.jsonl'), 'utf8')).split('\n');
    expect(first).to.match(/^\{"record":2,"result":"failed","code":"invalid_csv","errors":\[.*line 2: .* JSON/);
  });

  it('keeps users of one address apart whom the command of docs/password-migration.md joins with their hashes', async function () {
    if (spawnSync('jq', ['--version']).status !== 0) this.skip();
    const page = await readFile(new URL('../../../docs/password-migration.md', import.meta.url), 'utf8');
    const [join = ''] = page.match(/^jq .*$/m) ?? [];
    const hash = '$2b$04$4uTtdWppZo29yqxvYcrfzecMlAETuWhoaGvwaIAcuWfDhXOkjUTYa';
    const users = [
      { user_id: 'google-oauth2|1', email: 'jane@example.com', email_verified: true, app_metadata: { role: 'admin' } },
      { user_id: 'auth0|aa', email: 'Jane@example.com', email_verified: false, app_metadata: { role: 'none' } },
      { user_id: 'auth0|bb', email: 'john@example.com', name: 'John' },
    ];
    const hashes = [
      { _id: { $oid: 'aa' }, email: 'jane@example.com', email_verified: false, passwordHash: hash },
      { _id: { $oid: '00' }, alt_id: 'bb', email: 'john@example.com', passwordHash: hash },
    ];
    const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await installation().write('users.jsonl', lines(users));
    await installation().write('hashes.jsonl', lines(hashes));
    expect(spawnSync(join, { shell: true, cwd: installation().folder }).status).to.equal(0);
    await configure(installation(), ['bcrypt']);
    const { stdout } = await installation().command(['import', '--from', 'auth0', 'joined.jsonl', 'latchkey.yaml']);
    expect(stdout).to.match(/^ok {4}imported: 2\nskip {2}user_exists: 1 \(record 3\)\n/);
    const exported = await installation().command(['export', 'latchkey.yaml']);
    expect(exported.stdout).to.include('"user_id":"auth0|aa"').and.include('"app_metadata":{"role":"none"}');
    expect(exported.stdout).to.include('"name":"John"').and.not.include('admin');
    expect(exported.stdout.split(hash)).to.have.lengthOf(3);
  });

  it('imports no former address of a user of Auth0 if the files that are joined differ, and says so', async function () {
    if (spawnSync('jq', ['--version']).status !== 0) this.skip();
    const page = await readFile(new URL('../../../docs/password-migration.md', import.meta.url), 'utf8');
    const [command = '', newer = ''] = page.match(/^jq .*$/gm) ?? [];
    const hash = '$2b$04$4uTtdWppZo29yqxvYcrfzecMlAETuWhoaGvwaIAcuWfDhXOkjUTYa';
    const delivered = (id: string, email: string) => ({ _id: { $oid: id }, email, passwordHash: hash, tenant: 'shop' });
    const users = [
      { user_id: 'auth0|aa', email: 'jane.new@example.com', email_verified: true },
      { user_id: 'auth0|bb', email: 'John@example.com', email_verified: true },
      { user_id: 'auth0|cc', email: 'created@example.com' },
      { user_id: 'auth0|ee', email: 'twice.old@example.com', updated_at: '2024-01-01T00:00:00.000Z' },
      { user_id: 'auth0|ee', email: 'twice@example.com', updated_at: '2025-01-01T00:00:00.000Z' },
      { user_id: 'auth0|ee', email: 'twice.older@example.com', updated_at: '2023-01-01T00:00:00.000Z' },
    ];
    const hashes = [
      delivered('aa', 'jane@example.com'),
      { ...delivered('bb', 'john@example.com'), email_verified: false },
      delivered('dd', 'deleted@example.com'),
      delivered('ee', 'twice@example.com'),
    ];
    const lines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
    await installation().write('users.jsonl', lines(users));
    await installation().write('hashes.jsonl', lines(hashes));
    expect(spawnSync(command, { shell: true, cwd: installation().folder }).status).to.equal(0);
    await configure(installation(), ['bcrypt']);
    const args = ['import', '--from', 'auth0', 'joined.jsonl', 'latchkey.yaml', '--report', 'report.jsonl'];
    const { status, stdout } = await installation().command(args);
    expect([status, stdout]).to.deep.equal([
      1,
      'ok    imported: 3\n' +
        'FAIL  conflicting_records: 2 (records 1, 4): the files that were joined differ; see --report\n' +
        'warn  not carried over: other_members.hashes.tenant: 2 (records 2, 5)\n' +
        'warn  not carried over: password: 1 (record 3)\n',
    ]);
    const report = await readFile(join(installation().folder, 'report.jsonl'), 'utf8');
    expect(report.match(/"address":"[^"]*"/g)).to.deep.equal(
      ['jane.new', 'created', 'deleted'].map((name) => `"address":"${name}@example.com"`),
    );
    const exported = await installation().command(['export', 'latchkey.yaml']);
    expect(exported.stdout.match(/"address":"[^"]*","verified":[a-z]*/g)).to.have.members([
      '"address":"created@example.com","verified":false',
      '"address":"John@example.com","verified":true',
      '"address":"twice@example.com","verified":false',
    ]);

    // The users are the newer file.
    expect(spawnSync(newer, { shell: true, cwd: installation().folder }).status).to.equal(0);
    const rest = await installation().command(['import', '--from', 'auth0', 'newer-users.jsonl', 'latchkey.yaml']);
    expect(rest.stdout).to.match(/^ok {4}imported: 1\nskip {2}user_exists: 3 /);
    const all = await installation().command(['export', 'latchkey.yaml']);
    expect(all.stdout)
      .to.include('jane.new@example.com')
      .and.not.match(/"jane@|deleted@/);
  });

  for (const [algorithm, form] of Object.entries({
    argon2: /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    bcrypt: /^\$2b\$10\$/,
    simple: /^[\da-f-]{36}$/,
  }))
    it(`gives each user without a password an own stored hash, which no known password matches: ${algorithm}`, async () => {
      await installation().configure({ passwordHash: { algorithm, serverSideHash: algorithm !== 'simple' } });
      const documents = ['a', 'b', 'c'].map((name) => {
        const document = JSON.stringify({ email: { address: `${name}@example.com` } });
        return JSON.stringify({ document, creation_time: 1, update_time: 2 });
      });
      await installation().write('users.jsonl', documents.join('\n'));
      const options = ['--from', 'documents', '--without-passwords'];
      const first = await installation().command(['import', ...options, 'users.jsonl', 'latchkey.yaml']);
      expect(first.stdout).to.match(/^ok {4}imported: 3\nwarn {2}not carried over: password: 3 /);
      const { stdout } = await installation().command(['export', 'latchkey.yaml']);
      const stored = [...stdout.matchAll(/"password":"([^"]*)"/g)].map(([, hash = '']) => hash);
      expect(new Set(stored).size).to.equal(3);
      for (const hash of stored) expect(hash).to.match(form);
      const { url } = await installation().serve();
      expect(await readUser(url, 'a@example.com', jane)).to.equal(401);
      // Another user's hash is no password either.
      expect(await readUser(url, 'a@example.com', stored[1])).to.equal(401);
      await installation().write('again.jsonl', stdout);
      const again = await installation().command(['import', 'again.jsonl', 'latchkey.yaml']);
      expect([again.status, again.stdout]).to.deep.equal([
        0,
        'ok    imported: 0\nskip  user_exists: 3 (lines 1, 2, 3)\n',
      ]);
    });

  it('stores nothing of a table in another encoding, whose letters would be replaced', async () => {
    await configure(installation(), ['bcrypt']);
    const table = 'email,raw_user_meta_data\na@example.com,"{""name"":""Zoë""}"\n';
    await writeFile(join(installation().folder, 'latin1.csv'), table, 'latin1');
    const command = ['import', '--from', 'supabase', '--without-passwords', 'latin1.csv', 'latchkey.yaml'];
    const { status, stdout, stderr } = await installation().command(command);
    expect([status, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.equal('latchkey: the file is not encoded in UTF-8\n');
  });

  it('stores nothing of a file without any password, such as the export of another system, unless --without-passwords is given', async () => {
    await configure(installation(), ['argon2', 'pbkdf2']);
    const { status, stdout, stderr } = await run('keycloak.json', 'supabase');
    expect([status, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.match(/^latchkey: keycloak\.json: no user has a password: .* --without-passwords imports it\n$/);
    expect((await installation().command(['export', 'latchkey.yaml'])).stdout).to.equal('');
    const without = await run('keycloak.json', 'supabase', '--without-passwords');
    expect(without.stdout).to.match(/^ok {4}imported: [1-9]/);
    expect(without.stdout).to.match(/\nwarn {2}not carried over: password: [1-9]/);
  });

  const misuses: Readonly<Record<string, readonly string[]>> = {
    '--from takes one of firebase, keycloak, supabase, auth0, kratos, documents': ['--from', 'okta'],
    '--hash-passwords is for lines with passwords; exports of other systems have hashes': [
      ...['--from', 'auth0', '--hash-passwords'],
    ],
    '--without-passwords is for exports of other systems, which --from names': ['--without-passwords'],
  };
  for (const [reason, options] of Object.entries(misuses))
    it(`ends with 2: ${reason}`, async () => {
      const { status, stderr } = await installation().command(['import', ...options, 'users.json', 'latchkey.yaml']);
      expect(status).to.equal(2);
      expect(stderr).to.match(new RegExp(`^latchkey: ${reason}\n`));
    });
});

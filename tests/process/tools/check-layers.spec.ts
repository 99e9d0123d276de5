import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Run } from '../run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The files that the sources below import. */
const imported = [
  'adapters/aws/errors.ts',
  'adapters/concurrency/shared-call.ts',
  'adapters/http/api/route.ts',
  'adapters/http/server/listener.ts',
  'adapters/kit/definition.ts',
  'adapters/mailers/smtp/index.ts',
  'adapters/observability/audit-file.ts',
  'adapters/observability/metrics.ts',
  'adapters/password-hashes/argon2.ts',
  'adapters/password-hashes/slow-hashes.ts',
  'adapters/secrets/secrets-manager.ts',
  'adapters/stores/memory/index.ts',
  'adapters/stores/stored-event.ts',
  'adapters/stores/sqlite/sqlite-schema.ts',
  'application/accounts/create-user.ts',
  'application/administration/administrator.ts',
  'application/passwords/without-password.ts',
  'application/ports/log.ts',
  'bootstrap/service.ts',
  'domain/user.ts',
  'sdk/ports.ts',
  'tools/build.ts',
];

const allowed: Readonly<Record<string, string>> = {
  'adapters/http/api/accounts/user-routes.ts': "export * from '../../server/listener.ts';",
  'adapters/http/admin/administration/actions.ts':
    "export * from '../../../../application/administration/administrator.ts';",
  'adapters/mailers/smtp/errors.ts': "export { createTransport } from 'nodemailer';",
  'adapters/observability/tracing/spans.ts': "export * from '../metrics.ts';",
  'adapters/password-hashes/bcrypt.ts':
    "export * from './slow-hashes.ts';\nexport type { Value } from '../kit/definition.ts';",
  'adapters/stores/dynamodb/items.ts':
    "export * from '../../aws/errors.ts';\nexport type { Value } from '../stored-event.ts';",
  'adapters/stores/stored-format.ts': "export * from '../concurrency/shared-call.ts';",
  'adapters/stores/sqlite/sqlite-database.ts': "export * from './sqlite-schema.ts';",
  'adapters/system-clock.ts': 'export const systemClock = { now: () => Date.now() };',
  'adapters/mailers/smtp/date.ts':
    'export const text = (time: Date): string => new Date(Date.parse(time.toISOString())).toISOString();',
  'bootstrap/log-output.ts': 'export const time = Date.now();',
};

const noTime = 'take the time from a Clock (application/ports/clock.ts), not from Date.now() or new Date()';
/** Each source reads the time of the machine. */
const clocks: Readonly<Record<string, string>> = {
  'domain/now.ts': 'export const now = (time = Date.now()): number => time;',
  'application/outgoing/now.ts': 'export const clock = { now: Date.now };',
  'adapters/http/server/now.ts': 'export class Now { readonly time: Date = new Date(); }',
  'adapters/stores/memory/now.ts': 'export const now = Date();',
};

/** Each source has one import that breaks a rule: the file, its text, and the line of the check. */
const refused: readonly (readonly [file: string, source: string, line: string])[] = [
  [
    'adapters/one.ts',
    "export * from './stores/memory/index.ts';",
    'adapters-do-not-import-other-folders: adapters/one.ts -> adapters/stores/memory/index.ts',
  ],
  [
    'adapters/two.ts',
    "export const load = () => import('./http/server/listener.ts');",
    'adapters-do-not-import-other-folders: adapters/two.ts -> adapters/http/server/listener.ts',
  ],
  [
    'adapters/three.ts',
    "import type { Value } from './http/api/route.ts';\nexport const value: Value = 1;",
    'adapters-do-not-import-other-folders: adapters/three.ts -> adapters/http/api/route.ts',
  ],
  [
    'adapters/kit/four.ts',
    "export type { Value } from '../http/api/route.ts';",
    'kit-imports-no-adapter: adapters/kit/four.ts -> adapters/http/api/route.ts',
  ],
  [
    'adapters/stores/sqlite/five.ts',
    "export type Five = import('../../http/api/route.ts').Value;",
    'import-type: adapters/stores/sqlite/five.ts: use a declaration, import type { … } from',
  ],
  [
    'adapters/stores/sqlite/six.ts',
    "export * from '../memory/index.ts';",
    'adapters-of-a-folder-do-not-import-each-other: adapters/stores/sqlite/six.ts -> adapters/stores/memory/index.ts',
  ],
  [
    'adapters/password-hashes/sha256.ts',
    "export * from './argon2.ts';",
    'adapters-of-a-folder-do-not-import-each-other: adapters/password-hashes/sha256.ts -> adapters/password-hashes/argon2.ts',
  ],
  [
    'adapters/observability/seven.ts',
    "export * from './audit-file.ts';",
    'adapters-of-a-folder-do-not-import-each-other: adapters/observability/seven.ts -> adapters/observability/audit-file.ts',
  ],
  [
    'adapters/mailers/ses/eight.ts',
    "export * from '../smtp/index.ts';",
    'adapters-of-a-folder-do-not-import-each-other: adapters/mailers/ses/eight.ts -> adapters/mailers/smtp/index.ts',
  ],
  [
    'adapters/secrets/nine.ts',
    "export * from './secrets-manager.ts';",
    'adapters-of-a-folder-do-not-import-each-other: adapters/secrets/nine.ts -> adapters/secrets/secrets-manager.ts',
  ],
  [
    'adapters/webhooks/ten.ts',
    "export * from '../observability/metrics.ts';",
    'adapters-do-not-import-other-folders: adapters/webhooks/ten.ts -> adapters/observability/metrics.ts',
  ],
  [
    'domain/eleven.ts',
    "export type Eleven = typeof import('../application/ports/log.ts');",
    'import-type: domain/eleven.ts: use a declaration, import type { … } from',
  ],
  [
    'application/twelve.ts',
    "import type { Value } from '../bootstrap/service.ts';\nexport const value: Value = 1;",
    'application-imports-inward: application/twelve.ts -> bootstrap/service.ts',
  ],
  [
    'bootstrap/thirteen.ts',
    "export * from '../sdk/ports.ts';",
    'service-does-not-import-sdk: bootstrap/thirteen.ts -> sdk/ports.ts',
  ],
  [
    'adapters/http/api/fourteen.ts',
    "export type { Value } from '../../../application/accounts/create-user.ts';",
    'http-dispatches-on-buses: adapters/http/api/fourteen.ts -> application/accounts/create-user.ts',
  ],
  [
    'adapters/http/api/accounts/delete-any-user.ts',
    "export * from '../../../../application/administration/administrator.ts';",
    'only-administrators-act-without-passwords: adapters/http/api/accounts/delete-any-user.ts -> application/administration/administrator.ts',
  ],
  [
    'adapters/http/api/recovery/recover-any-user.ts',
    "export { withoutPassword } from '../../../../application/passwords/without-password.ts';",
    'only-permitted-clients-leave-passwords-out: adapters/http/api/recovery/recover-any-user.ts -> application/passwords/without-password.ts',
  ],
  [
    'adapters/stores/sqlite/fifteen.ts',
    "export { MongoClient } from 'mongodb';",
    'adapters-import-their-own-packages: adapters/stores/sqlite/fifteen.ts -> node_modules/mongodb/lib/index.js',
  ],
  [
    'adapters/stores/memory/sixteen.ts',
    "export type { Context } from 'koa';",
    'adapters-import-their-own-packages: adapters/stores/memory/sixteen.ts -> node_modules/koa/dist/koa.mjs',
  ],
  [
    'adapters/kit/seventeen.ts',
    "export type { Value } from '../../application/accounts/create-user.ts';",
    'adapters-use-ports-only: adapters/kit/seventeen.ts -> application/accounts/create-user.ts',
  ],
  [
    'adapters/http/server/nineteen.ts',
    "export type { Value } from '../api/route.ts';",
    'http-server-is-transport: adapters/http/server/nineteen.ts -> adapters/http/api/route.ts',
  ],
  [
    'adapters/concurrency/eighteen.ts',
    "export * from '../kit/definition.ts';",
    'concurrency-imports-no-adapter: adapters/concurrency/eighteen.ts -> adapters/kit/definition.ts',
  ],
];

describe('the check of layers', function () {
  this.timeout(60_000);
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-layers-'));
    for (const file of ['.dependency-cruiser.cjs', 'package.json', 'tsconfig.json'])
      await cp(join(root, file), join(folder, file));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, '.gitignore'), 'node_modules\n');
    await new Run(spawn('git', ['init', '--quiet'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })).ended;
    for (const file of imported) await write(file, 'export type Value = 1;\nexport const constant = 1;');
    for (const [file, source] of Object.entries(allowed)) await write(file, source);
  });
  afterEach(() => rm(folder, { recursive: true }));

  const write = async (file: string, source: string): Promise<void> => {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `${source}\n`);
  };

  const check = async () => {
    const script = join(root, 'tools/check-layers.js');
    const run = new Run(spawn(process.execPath, [script], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }));
    const status = await run.ended;
    // The packages are outside of the folder, behind a link.
    const lines = run.stderr.split('\n').map((line) => line.replace(/-> .*[/](?=node_modules[/])/, '-> '));
    return { status, stdout: run.stdout, lines: lines.filter((line) => line !== '') };
  };

  it('passes imports that point inward, and those of shared code', async () => {
    expect(await check()).to.deep.equal({
      status: 0,
      stdout: `layers: ${imported.length + Object.keys(allowed).length} files, 0 violations\n`,
      lines: [],
    });
  });

  it('reports every import that breaks a rule: of values, of types, dynamic, and inside of a type', async () => {
    for (const [file, source] of refused) await write(file, source);
    const { status, lines } = await check();
    expect(lines).to.have.members(refused.map(([, , line]) => line));
    expect(status).to.equal(1);
  });

  it('reports what takes the time from the machine instead of a Clock', async () => {
    for (const [file, source] of Object.entries(clocks)) await write(file, source);
    const { status, lines } = await check();
    expect(lines).to.have.members(Object.keys(clocks).map((file) => `clock: ${file}: ${noTime}`));
    expect(status).to.equal(1);
  });
});

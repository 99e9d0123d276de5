import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createFolder } from '../../adapters/kit/file-creation.ts';
import { describeFileError, reportFailure } from './command-errors.ts';
import { type Arguments, exitStatus, programName, shellQuote, UsageError } from './command-line.ts';
import { databaseBlocks, mailerBlocks, type ProductionBlock, publicUrl, type Variable } from './production-blocks.ts';

/** The adapters of a production configuration. */
interface ProductionChoice {
  readonly database: keyof typeof databaseBlocks;
  readonly mailer: keyof typeof mailerBlocks;
}

const isKeyOf = <Blocks extends object>(blocks: Blocks, name: string): name is keyof Blocks & string =>
  Object.hasOwn(blocks, name);

/** Decodes `--database` and `--mailer`; a string is the text of the usage error. */
const productionChoice = (database: string, mailer: string): ProductionChoice | string => {
  if (!isKeyOf(databaseBlocks, database)) return `--database takes one of ${Object.keys(databaseBlocks).join(', ')}`;
  if (!isKeyOf(mailerBlocks, mailer)) return `--mailer takes one of ${Object.keys(mailerBlocks).join(', ')}`;
  return { database, mailer };
};

/** The environment variables with generated secrets: of the only client, and of the only administrator. */
const clientSecret = 'LATCHKEY_WEB_APP_SECRET';
const administratorSecret = 'LATCHKEY_SUPPORT_SECRET';

const yamlOf = (database: ProductionBlock, mailer: ProductionBlock): string => {
  const link = mailer.variables.includes(publicUrl)
    ? `  # The address of the service behind the proxy; the links in mails start with it.
  publicUrl: \${${publicUrl.name}}
`
    : '';
  return `# The configuration of Latchkey, written by \`latchkey init --production\`. Every \${NAME} is an environment variable, and .env
# sets them. docs/configuration.md explains all options, docs/security.md the choices that were made here.

# The service accepts connections from this machine only, where a proxy ends TLS. In a container write host: 0.0.0.0, and
# publish the port to the proxy only.
server:
  host: 127.0.0.1
  port: 8080
  # The proxy on this machine reports the addresses of clients, for the throttle and the audit log.
  trustProxy: [127.0.0.1]
  # Health, readiness and metrics.
  adminHost: 127.0.0.1
  adminPort: 8081
${link}
${database.yaml}
# Every user has an id, which never changes, while the address may change.
users:
  ids: true

${mailer.yaml}
# Clients send passwords in plain text over TLS, and the service stores their argon2id hashes.
passwordHash:
  algorithm: argon2
  serverSideHash: true
  # For web applications with sessions: only POST /users/check takes the password, and other calls need none. The key of the
  # application then reads and changes every user (docs/concepts.md#two-patterns).
  # headerCheck: false

# The response for an unknown user is the same as for a wrong password, and no response contains a password hash.
privacy:
  hideUnknownUsers: true
  hidePasswords: true

# After 10 wrong passwords for a user, or 100 from one address, no password is checked for 15 minutes. Applications send
# the address of their user in this header; without it the address of the connection counts (docs/throttle.md).
throttle:
  failures: 10
  window: 15m
  block: 15m
  clientFailures: 100
  clientHeader: X-Client-Address

# The applications that may call the service, and what each may do (docs/configuration.md).
auth:
  type: basic
  keys:
    - application: web-app
      secret: \${${clientSecret}}
      may: [create, read, update, delete, verify, recover, check]

# Who may list, disable, help and delete users on the admin port, in a browser or over REST (docs/administration.md).
admin:
  keys:
    - application: support
      secret: \${${administratorSecret}}
      may: [list, read, edit, state, password, mail, delete]

# Who asked for what, as lines of the log; file: PATH writes them to a file of their own (docs/audit.md).
audit:
  to: log
`;
};

/** The length of a key of HMAC-SHA256. */
const secretBytes = 32;

const newSecret = (): string => randomBytes(secretBytes).toString('base64url');

const envOf = (variables: readonly Variable[]): string => {
  const unset = variables.map(({ name, meaning, example }) => `\n# ${meaning}\n#${name}='${example}'\n`);
  return `# The secrets and addresses of latchkey.yaml. Keep this file secret, and out of version control. Shells, systemd
# (EnvironmentFile=) and Node.js (--env-file=) can read it.

# The generated secret with which the application web-app calls the service.
${clientSecret}=${newSecret()}

# The generated secret of the administrator support.
${administratorSecret}=${newSecret()}
${unset.length === 0 ? '' : `\n# Remove the # from each line below, and write your own value between the quotes.\n${unset.join('')}`}`;
};

/** The files of a production configuration. */
interface ProductionConfiguration {
  readonly yaml: string;
  /** The environment variables, with newly generated secrets. */
  readonly env: string;
  /** The names of the variables that the operator has to set. */
  readonly missing: readonly string[];
}

/** Generates a configuration for which `latchkey check` has no warnings (docs/security.md). */
const productionConfiguration = (choice: ProductionChoice): ProductionConfiguration => {
  const database: ProductionBlock = databaseBlocks[choice.database];
  const mailer: ProductionBlock = mailerBlocks[choice.mailer];
  const variables = [...new Set([...mailer.variables, ...database.variables])];
  return { yaml: yamlOf(database, mailer), env: envOf(variables), missing: variables.map(({ name }) => name) };
};

interface NewFile {
  readonly path: string;
  readonly text: string;
  readonly mode: number;
}

/** Creates all files or none. Rejects with EEXIST for a file that exists, and leaves that file unchanged. */
const createFiles = async (files: readonly NewFile[]): Promise<void> => {
  const created: string[] = [];
  try {
    for (const { path, text, mode } of files) {
      const file = await open(path, 'wx', mode);
      created.push(path);
      await file.writeFile(text).finally(() => file.close());
    }
  } catch (error) {
    await Promise.all(created.map((path) => rm(path, { force: true })));
    throw error;
  }
};

const nextSteps = (folder: string, missing: readonly string[]): string => {
  const first = missing.length === 0 ? '' : `Fill in .env first: ${missing.join(', ')}. `;
  const program = programName(folder);
  const commands = [
    ...(folder === '.' ? [] : [`cd ${shellQuote(resolve(folder))}`]),
    'set -a; . ./.env; set +a',
    `${program} check latchkey.yaml`,
    `${program} serve latchkey.yaml`,
  ];
  return `\n${first}Then check and start the service:\n\n${commands.map((line) => `  ${line}\n`).join('')}`;
};

const isExistingFile = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST' && 'path' in error;

/**
 * Writes `latchkey.yaml` and `.env`, with generated secrets, to a folder, which is created if it is missing, and prints
 * the next steps. Never overwrites a file.
 */
export const init = async ({ values, positionals }: Arguments): Promise<number> => {
  if (positionals.length > 0) throw new UsageError('init takes no file; --output names the folder for its files');
  if (!values.production) throw new UsageError('init needs --production; development needs no configuration');
  const choice = productionChoice(values.database ?? 'sqlite', values.mailer ?? 'smtp');
  if (typeof choice === 'string') throw new UsageError(choice);
  const folder = values.output ?? '.';
  const { yaml, env, missing } = productionConfiguration(choice);
  const [file, secrets] = [join(folder, 'latchkey.yaml'), join(folder, '.env')];
  const files = [
    { path: file, text: yaml, mode: 0o644 },
    { path: secrets, text: env, mode: 0o600 },
  ];
  try {
    createFolder(folder, 0o777);
    await createFiles(files);
  } catch (error) {
    if (!isExistingFile(error)) return reportFailure(describeFileError(error, folder));
    process.stderr.write(`latchkey: ${error.path} exists already and stays unchanged; --output names another folder\n`);
    if (error.path === file && !existsSync(secrets))
      process.stderr.write(`latchkey: ${secrets} is missing; if init was interrupted, remove ${file} and repeat it\n`);
    return exitStatus.wrongConfiguration;
  }
  for (const { path } of files) process.stdout.write(`ok    ${path}\n`);
  process.stdout.write(nextSteps(folder, missing));
  return exitStatus.done;
};

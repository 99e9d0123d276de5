import { randomBytes } from 'node:crypto';
import { databaseBlocks, mailerBlocks, type ProductionBlock, publicUrl, type Variable } from './production-blocks.ts';

/** The adapters of a production configuration. */
export interface ProductionChoice {
  readonly database: keyof typeof databaseBlocks;
  readonly mailer: keyof typeof mailerBlocks;
}

const isKeyOf = <Blocks extends object>(blocks: Blocks, name: string): name is keyof Blocks & string =>
  Object.hasOwn(blocks, name);

/** The choice that `--database` and `--mailer` make; a string says which of the two is wrong. */
export const productionChoice = (database: string, mailer: string): ProductionChoice | string => {
  if (!isKeyOf(databaseBlocks, database)) return `--database takes one of ${Object.keys(databaseBlocks).join(', ')}`;
  if (!isKeyOf(mailerBlocks, mailer)) return `--mailer takes one of ${Object.keys(mailerBlocks).join(', ')}`;
  return { database, mailer };
};

/** The variable with the secret of the one client. */
const clientSecret = 'LATCHKEY_WEB_APP_SECRET';

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
  # Health, readiness and metrics.
  adminHost: 127.0.0.1
  adminPort: 8081
${link}
${database.yaml}
${mailer.yaml}
# Clients send passwords in plain text over TLS, and the service stores their argon2id hashes.
passwordHash:
  algorithm: argon2
  serverSideHash: true

# The answer for an unknown user is the same as for a wrong password, and no answer contains a password hash.
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

# The applications that may call the service.
auth:
  type: basic
  keys:
    - application: web-app
      secret: \${${clientSecret}}
`;
};

/** As long as a key of HMAC-SHA256. */
const secretBytes = 32;

const envOf = (variables: readonly Variable[]): string => {
  const unset = variables.map(({ name, meaning, example }) => `\n# ${meaning}\n#${name}='${example}'\n`);
  return `# The secrets and addresses of latchkey.yaml. Keep this file secret, and out of version control. Shells, systemd
# (EnvironmentFile=) and Node.js (--env-file=) can read it.

# The generated secret with which the application web-app calls the service.
${clientSecret}=${randomBytes(secretBytes).toString('base64url')}
${unset.length === 0 ? '' : `\n# Remove the # from each line below, and write your own value between the quotes.\n${unset.join('')}`}`;
};

/** The files of a production configuration. */
export interface ProductionConfiguration {
  readonly yaml: string;
  /** The environment variables, with newly generated secrets. */
  readonly env: string;
  /** The names of the variables that the operator has to set. */
  readonly missing: readonly string[];
}

/** Generates a configuration for which `latchkey check` has no warnings (docs/security.md). */
export const productionConfiguration = (choice: ProductionChoice): ProductionConfiguration => {
  const database: ProductionBlock = databaseBlocks[choice.database];
  const mailer: ProductionBlock = mailerBlocks[choice.mailer];
  const variables = [...new Set([...mailer.variables, ...database.variables])];
  return { yaml: yamlOf(database, mailer), env: envOf(variables), missing: variables.map(({ name }) => name) };
};

import { randomBytes } from 'node:crypto';

/** A variable that only the operator can give a value. */
interface Variable {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
}

/** A block of the configuration, with the variables that it names. */
interface Part {
  readonly yaml: string;
  readonly variables: readonly Variable[];
}

const publicUrl: Variable = {
  name: 'LATCHKEY_PUBLIC_URL',
  meaning: 'The address at which people reach the service through the proxy that ends TLS.',
  example: 'https://accounts.example.com',
};

const sender: Variable = {
  name: 'LATCHKEY_MAIL_FROM',
  meaning: 'The sender of the mails.',
  example: 'Example <no-reply@example.com>',
};

const region: Variable = {
  name: 'LATCHKEY_AWS_REGION',
  meaning: 'The region of AWS. Credentials come from where the AWS SDK looks for them, such as a role of the machine.',
  example: 'eu-central-1',
};

/** What `--database` can name. */
const databases = {
  sqlite: {
    yaml: `# Users are kept in one file, which is created when it is missing. A relative path starts in the folder where the service
# is started.
database:
  type: sqlite
  path: ./data/latchkey.db
`,
    variables: [],
  },
  mongodb: {
    yaml: `# The collection and its index are created when they are missing.
database:
  type: mongodb
  connectionString: \${LATCHKEY_MONGODB_URI}
  databaseName: latchkey
  collectionName: users
`,
    variables: [
      {
        name: 'LATCHKEY_MONGODB_URI',
        meaning: 'The connection string of a replica set of MongoDB.',
        example: 'mongodb://latchkey:PASSWORD@db1.example.com,db2.example.com/?replicaSet=rs0&tls=true',
      },
    ],
  },
  dynamodb: {
    yaml: `# Two tables: latchkey-users with the partition key \`email\`, and latchkey-users-throttle with the partition key \`key\`,
# whose items expire by the attribute \`expire\` (docs/throttle.md). With createTable: true the service makes them.
database:
  type: dynamodb
  endpoint: https://dynamodb.\${LATCHKEY_AWS_REGION}.amazonaws.com
  region: \${LATCHKEY_AWS_REGION}
  tableName: latchkey-users
`,
    variables: [region],
  },
} satisfies Readonly<Record<string, Part>>;

const links = `  # The link in a mail opens a page with a button, because mail scanners follow links. It expires, and is not mailed too
  # often (docs/verification.md).
  confirmPage: true
  tokenLifetime: 24h
  resendInterval: 60s
`;

/** What `--mailer` can name. */
const mailers = {
  smtp: {
    yaml: `# STARTTLS on port 587; for TLS from the start write port: 465 and secure: true.
email:
  type: smtp
  host: \${LATCHKEY_SMTP_HOST}
  port: 587
  user: \${LATCHKEY_SMTP_USER}
  password: \${LATCHKEY_SMTP_PASSWORD}
  fromAddress: \${LATCHKEY_MAIL_FROM}
${links}`,
    variables: [
      publicUrl,
      { name: 'LATCHKEY_SMTP_HOST', meaning: 'The mail server.', example: 'smtp.example.com' },
      { name: 'LATCHKEY_SMTP_USER', meaning: 'The user that the mail server knows.', example: 'no-reply@example.com' },
      { name: 'LATCHKEY_SMTP_PASSWORD', meaning: 'The password of this user.', example: 'PASSWORD' },
      sender,
    ],
  },
  ses: {
    yaml: `# The sender or its domain is verified with SES in this region.
email:
  type: ses
  endpoint: https://email.\${LATCHKEY_AWS_REGION}.amazonaws.com
  region: \${LATCHKEY_AWS_REGION}
  fromAddress: \${LATCHKEY_MAIL_FROM}
${links}`,
    variables: [publicUrl, region, sender],
  },
  none: {
    yaml: `# Addresses are not verified.
email:
  type: none
`,
    variables: [],
  },
} satisfies Readonly<Record<string, Part>>;

/** The choices behind a production configuration. */
export interface Choice {
  readonly database: keyof typeof databases;
  readonly mailer: keyof typeof mailers;
}

const isOneOf = <Parts extends object>(parts: Parts, word: string): word is keyof Parts & string =>
  Object.hasOwn(parts, word);

/** The parts that `--database` and `--mailer` name; text says what is wrong with one of them. */
export const choiceOf = (database: string, mailer: string): Choice | string => {
  if (!isOneOf(databases, database)) return `--database takes one of ${Object.keys(databases).join(', ')}`;
  if (!isOneOf(mailers, mailer)) return `--mailer takes one of ${Object.keys(mailers).join(', ')}`;
  return { database, mailer };
};

/** The name of the variable that holds the secret of the one client. */
const clientSecret = 'LATCHKEY_WEB_APP_SECRET';

const yamlOf = (database: Part, mailer: Part): string => {
  const link = mailer.variables.includes(publicUrl)
    ? `  # Where people reach the service through the proxy; the links in mails start with it.
  publicUrl: \${${publicUrl.name}}
`
    : '';
  return `# The configuration of Latchkey, written by \`latchkey init --production\`. Every \${NAME} is an environment variable, and .env
# holds them. docs/configuration.md explains all options, docs/security.md the choices that were made here.

# Reached from this machine only, where a proxy ends TLS. In a container write host: 0.0.0.0, and publish the port to
# the proxy only.
server:
  host: 127.0.0.1
  port: 8080
  # Health, readiness and metrics.
  adminHost: 127.0.0.1
  adminPort: 8081
${link}
${database.yaml}
${mailer.yaml}
# Clients send passwords as they are, over TLS, and the service stores argon2id hashes of them.
passwordHash:
  algorithm: argon2
  serverSideHash: true

# An unknown user is answered as a wrong password is, and no answer holds the hash of a password.
privacy:
  hideUnknownUsers: true
  hidePasswords: true

# After 10 wrong passwords of a user, or 100 from one address, none is checked for 15 minutes. Applications send the
# address of their user in this header; without it the address of the connection counts (docs/throttle.md).
throttle:
  failures: 10
  window: 15m
  block: 15m
  clientFailures: 100
  clientHeader: X-Client-Address

# Who may call the service.
auth:
  type: basic
  keys:
    - application: web-app
      secret: \${${clientSecret}}
`;
};

// As long as the key of HMAC-SHA256: nobody guesses it.
const secretBytes = 32;

const envOf = (variables: readonly Variable[]): string => {
  const own = variables.map(({ name, meaning, example }) => `\n# ${meaning}\n#${name}='${example}'\n`);
  return `# The secrets and addresses of latchkey.yaml. Keep this file secret, and out of version control. Shells, systemd
# (EnvironmentFile=) and Node.js (--env-file=) read it.

# The secret with which the application web-app calls the service. It was generated.
${clientSecret}=${randomBytes(secretBytes).toString('base64url')}
${own.length === 0 ? '' : `\n# Remove the # of each line below, and write your own value between the quotes.\n${own.join('')}`}`;
};

/** The texts of a production configuration. */
export interface ProductionConfiguration {
  readonly yaml: string;
  /** Variables of the environment, with secrets that were generated for this call. */
  readonly env: string;
  /** The names of the variables that the operator has to fill in. */
  readonly missing: readonly string[];
}

/** Makes a configuration that `latchkey check` warns of nothing in (docs/security.md). */
export const productionConfiguration = (choice: Choice): ProductionConfiguration => {
  const database: Part = databases[choice.database];
  const mailer: Part = mailers[choice.mailer];
  const variables = [...new Set([...mailer.variables, ...database.variables])];
  return { yaml: yamlOf(database, mailer), env: envOf(variables), missing: variables.map(({ name }) => name) };
};

/** A variable that only the operator can give a value. */
export interface Variable {
  readonly name: string;
  readonly meaning: string;
  readonly example: string;
}

/** A block of the configuration, and the environment variables that it refers to. */
export interface ProductionBlock {
  readonly yaml: string;
  readonly variables: readonly Variable[];
}

export const publicUrl: Variable = {
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
  meaning: 'The region of AWS. The AWS SDK looks up the credentials, for example from the role of the machine.',
  example: 'eu-central-1',
};

/** The values of `--database`. */
export const databaseBlocks = {
  sqlite: {
    yaml: `# All users are in one file, which the service creates if it is missing. A relative path starts in the folder in which the
# service is started.
database:
  type: sqlite
  path: ./data/latchkey.db
`,
    variables: [],
  },
  mongodb: {
    yaml: `# The service creates the collection and its index if they are missing.
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
        example:
          'mongodb://latchkey:PASSWORD@db1.example.com,db2.example.com/?replicaSet=rs0&authSource=latchkey&tls=true',
      },
    ],
  },
  postgresql: {
    yaml: `# The service creates its tables if they are missing; with migrate: never, latchkey migrate does.
database:
  type: postgresql
  connectionString: \${LATCHKEY_POSTGRESQL_URL}
`,
    variables: [
      {
        name: 'LATCHKEY_POSTGRESQL_URL',
        meaning: 'The connection string of PostgreSQL, with every host that can be the primary.',
        example: 'postgresql://latchkey:PASSWORD@db1.example.com,db2.example.com/latchkey?sslmode=verify-full',
      },
    ],
  },
  dynamodb: {
    yaml: `# The tables: latchkey-users with the partition key \`email\`, latchkey-users-throttle with the partition key \`key\` and the
# time to live attribute \`expire\` (docs/throttle.md), and latchkey-users-events for queued mails, with the partition key
# \`destination\` and the sort key \`place\` (docs/events.md). With createTable: true the service creates them.
database:
  type: dynamodb
  endpoint: https://dynamodb.\${LATCHKEY_AWS_REGION}.amazonaws.com
  region: \${LATCHKEY_AWS_REGION}
  tableName: latchkey-users
`,
    variables: [region],
  },
} satisfies Readonly<Record<string, ProductionBlock>>;

const links = `  # Where the last page of a link leads.
  # productUrl: https://www.example.com
  # The link in a mail opens a page with a button, because mail scanners open links. The link expires, and a user does
  # not get another mail within resendInterval (docs/verification.md).
  confirmPage: true
  tokenLifetime: 24h
  resendInterval: 60s
  # Mails are stored in the database until the provider accepts them (docs/mail-queue.md).
  queue: true

# Mails with a link to a page for a new password. Users have \`passwordTime\`, by which sessions end (docs/concepts.md).
recovery: {}

# A mail to the user after a new password, another address, a disablement or a deletion (docs/notices.md).
notices: [password, address, recovery, state]
`;

/** The values of `--mailer`. */
export const mailerBlocks = {
  smtp: {
    yaml: `# STARTTLS on port 587. For TLS from the first byte, write port: 465 and secure: true.
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
      { name: 'LATCHKEY_SMTP_USER', meaning: 'The user name at the mail server.', example: 'no-reply@example.com' },
      { name: 'LATCHKEY_SMTP_PASSWORD', meaning: 'The password of this user.', example: 'PASSWORD' },
      sender,
    ],
  },
  ses: {
    yaml: `# The sender or its domain must be verified with SES in this region.
email:
  type: ses
  endpoint: https://email.\${LATCHKEY_AWS_REGION}.amazonaws.com
  region: \${LATCHKEY_AWS_REGION}
  fromAddress: \${LATCHKEY_MAIL_FROM}
${links}`,
    variables: [publicUrl, region, sender],
  },
  none: {
    yaml: `# Email addresses are not verified.
email:
  type: none
`,
    variables: [],
  },
} satisfies Readonly<Record<string, ProductionBlock>>;

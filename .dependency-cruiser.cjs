/** The layer rules of docs/architecture.md: imports point inward. */
const libraries = (names) => `node_modules/(${names.join('|')})/`;

/** The folders that hold several adapters. */
const adapterFamilies = ['stores', 'mailers', 'secrets', 'password-hashes', 'observability'];

/** The packages of each adapter, which imports no others but `sharedPackages`. List those of a new adapter, so that no other one uses them. */
const packagesByAdapter = {
  'http/': [
    '@koa/cors',
    '@koa/router',
    '@remix-run/html-template',
    'ipaddr.js',
    'jsonwebtoken',
    'koa',
    'koa-bodyparser',
    'lru-cache',
    'rate-limiter-flexible',
    'yaml',
  ],
  'concurrency/': [],
  'kit/': ['fastest-levenshtein'],
  'mailers/eml-files/': ['postal-mime'],
  'mailers/mime-message[.]ts': ['nodemailer'],
  'mailers/ses/': ['@aws-sdk/client-ses', 'nodemailer'],
  'mailers/smtp/': ['nodemailer'],
  'observability/audit-file[.]ts': ['pino'],
  'observability/metrics-exposition[.]ts': ['@prometheus-io/client'],
  'observability/tracing/': ['@opentelemetry/[^/]+'],
  'password-hashes/argon2[.]ts': ['argon2'],
  'password-hashes/bcrypt[.]ts': ['bcrypt'],
  'password-hashes/in-memory-password-cache[.]ts': ['lru-cache'],
  'password-rules/': ['@zxcvbn-ts/[^/]+'],
  'secrets/secrets-manager[.]ts': ['@aws-sdk/client-secrets-manager'],
  'stores/dynamodb/': ['@aws-sdk/client-dynamodb', 'rate-limiter-flexible'],
  'stores/mongodb/': ['mongodb', 'rate-limiter-flexible'],
  'stores/postgresql/': ['pg', 'rate-limiter-flexible'],
  'stores/rate-limited-attempts[.]ts': ['rate-limiter-flexible'],
  'stores/sqlite/': ['better-sqlite3', 'rate-limiter-flexible'],
  'webhooks/': ['standardwebhooks'],
};
const sharedPackages = ['fp-ts', 'io-ts'];

/** The files that the adapters of their folder may import. */
const sharedByFamily = [
  'mailers/mime-message',
  'password-hashes/slow-hashes',
  'password-hashes/argon2-phc-string',
  'password-hashes/verify-only-hash',
  'observability/metrics',
  'observability/metric-families',
  'stores/rate-limited-attempts',
  'stores/stored-event',
  'stores/stored-format',
];

module.exports = {
  forbidden: [
    {
      name: 'domain-imports-only-itself',
      comment: 'The domain is pure: its own files, fp-ts and io-ts.',
      severity: 'error',
      from: { path: '^domain/' },
      to: { pathNot: ['^domain/', libraries(['fp-ts', 'io-ts'])] },
    },
    {
      name: 'application-imports-inward',
      severity: 'error',
      from: { path: '^application/' },
      to: {
        pathNot: [
          '^application/',
          '^domain/',
          '^(node:)?crypto$',
          libraries(['fp-ts', 'io-ts', '@remix-run/html-template']),
        ],
      },
    },
    {
      name: 'adapters-do-not-import-bootstrap',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^bootstrap/' },
    },
    {
      name: 'adapters-use-ports-only',
      comment: 'Except for HTTP, adapters implement ports.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: '^adapters/http/' },
      to: {
        path: '^application/',
        pathNot: '^application/(ports/|(fault|interceptor|constant-time|outgoing/mail-(queue|templates))[.]ts)',
      },
    },
    {
      name: 'http-dispatches-on-buses',
      severity: 'error',
      from: { path: '^adapters/http/' },
      to: {
        path: '^application/',
        pathNot:
          '^application/(ports/(clock|log|request-tracer|expiring-secret)|fault|health|interceptor|bus|constant-time|passwords/without-password|administration/administrator)[.]ts',
      },
    },
    {
      name: 'http-server-is-transport',
      comment: 'What it answers with is given to it: endpoints, and how errors become responses.',
      severity: 'error',
      from: { path: '^adapters/http/server/' },
      to: { path: '^adapters/http/(?!server/)' },
    },
    {
      name: 'api-does-not-describe-itself',
      comment: 'The OpenAPI document is made of the routes, and given to the service.',
      severity: 'error',
      from: { path: '^adapters/http/api/' },
      to: { path: '^adapters/http/openapi/' },
    },
    {
      name: 'only-administrators-act-without-passwords',
      comment: 'Their messages carry a right that only this file has: the public port cannot make one.',
      severity: 'error',
      from: { path: '^', pathNot: '^(application/|adapters/http/admin/administration/|bootstrap/commands/|tests/)' },
      to: { path: '^application/administration/administrator[.]ts$' },
    },
    {
      name: 'only-permitted-clients-leave-passwords-out',
      comment: 'One file decides by the permission of the client that no password is checked.',
      severity: 'error',
      from: {
        path: '^',
        pathNot: '^(application/|tests/|adapters/http/api/(accounts/password-header|route-options)[.]ts$)',
      },
      to: { path: '^application/passwords/without-password[.]ts$' },
    },
    {
      name: 'adapters-do-not-import-other-folders',
      comment: 'Shared code is in kit/, concurrency/ and aws/, which have rules of their own, and in system-clock.ts.',
      severity: 'error',
      from: { path: '^adapters/([^/]+)', pathNot: '^adapters/(aws|concurrency|kit)/' },
      to: { path: '^adapters/', pathNot: '^adapters/(($1|aws|concurrency|kit)/|$1$|system-clock[.]ts$)' },
    },
    {
      name: 'adapters-of-a-folder-do-not-import-each-other',
      comment: 'In these folders, each file and each subfolder is an adapter, except for the files that they share.',
      severity: 'error',
      from: { path: `^adapters/((?:${adapterFamilies.join('|')})/[^/]+)` },
      to: {
        path: `^adapters/(${adapterFamilies.join('|')})/`,
        pathNot: ['^adapters/$1(/|$)', `^adapters/(${sharedByFamily.join('|')})[.]ts$`],
      },
    },
    {
      name: 'adapters-import-their-own-packages',
      comment: 'An adapter that packagesByAdapter does not name may have packages of its own, but none of another one.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: `^adapters/(${Object.keys(packagesByAdapter).join('|')})` },
      to: { path: libraries(Object.values(packagesByAdapter).flat()) },
    },
    ...Object.entries(packagesByAdapter).map(([adapter, packages]) => ({
      name: 'adapters-import-their-own-packages',
      comment: 'An adapter does not use the driver or the framework of another one.',
      severity: 'error',
      from: { path: `^adapters/${adapter}` },
      to: { path: 'node_modules/', pathNot: libraries([...sharedPackages, ...packages]) },
    })),
    {
      name: 'only-aws-adapters-import-aws',
      comment: 'The code that the AWS adapters share is not used by other adapters.',
      severity: 'error',
      from: { path: '^(?!adapters/(?:(?:aws|stores/dynamodb|mailers/ses)/|secrets/secrets-manager[.]ts))' },
      to: { path: '^adapters/aws/' },
    },
    {
      name: 'aws-imports-no-adapter',
      severity: 'error',
      from: { path: '^adapters/aws/' },
      to: { path: '^adapters/', pathNot: '^adapters/(aws|concurrency|kit)/' },
    },
    {
      name: 'kit-imports-no-adapter',
      comment: 'Every adapter is defined with the kit.',
      severity: 'error',
      from: { path: '^adapters/kit/' },
      to: { path: '^adapters/', pathNot: '^adapters/kit/' },
    },
    {
      name: 'concurrency-imports-no-adapter',
      comment: 'Any adapter may run or share its calls with it.',
      severity: 'error',
      from: { path: '^adapters/concurrency/' },
      to: { path: '^adapters/', pathNot: '^adapters/concurrency/' },
    },
    {
      name: 'only-bootstrap-imports-inversify',
      severity: 'error',
      from: { pathNot: '^bootstrap/' },
      to: { path: libraries(['inversify', 'reflect-metadata']) },
    },
    {
      name: 'service-does-not-import-tools',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap)/' },
      to: { path: '^tools/' },
    },
    {
      name: 'published-code-does-not-import-tests',
      comment: 'Tests and benchmarks are not published.',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap|sdk)/' },
      to: { path: '^(tests|benchmarks)/' },
    },
    {
      name: 'published-suites-import-declared-packages',
      severity: 'error',
      from: { path: '^sdk/contract/' },
      to: {
        path: '^node_modules/',
        pathNot: [
          'node_modules/@types/',
          libraries(['chai', 'fast-check', 'mailparser', 'fp-ts', 'io-ts', 'yaml', 'jsonwebtoken', 'standardwebhooks']),
        ],
      },
    },
    {
      name: 'service-does-not-import-sdk',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap)/' },
      to: { path: '^sdk/' },
    },
    {
      name: 'client-imports-only-itself',
      comment: 'The client runs wherever fetch exists, without Node.js and the service.',
      severity: 'error',
      from: { path: '^sdk/client/' },
      to: { pathNot: ['^sdk/client/[^/]+$', libraries(['openapi-fetch'])] },
    },
    {
      name: 'only-the-container-module-imports-testcontainers',
      comment: 'latchkey/testing works without Testcontainers; latchkey/testing/container needs it.',
      severity: 'error',
      from: { path: '^sdk/(client|testing)/', pathNot: '^sdk/testing/container[.]ts$' },
      to: { path: libraries(['testcontainers']) },
    },
    {
      name: 'pages-use-the-escaping-tag',
      comment: 'The tag of the library has an option to skip escaping.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: '^adapters/http/pages/html[.]ts$' },
      to: { path: libraries(['@remix-run/html-template', 'escape-html']) },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-undeclared-package',
      comment: 'The build bundles packages, so they may be devDependencies.',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap|sdk/(client|testing))/' },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: 'node_modules/@types/',
      },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};

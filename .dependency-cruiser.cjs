/** The layers of docs/architecture.md: imports point inward only. */
const libraries = (names) => `node_modules/(${names.join('|')})/`;

module.exports = {
  forbidden: [
    {
      name: 'domain-stands-alone',
      comment: 'The domain is pure: its own files, fp-ts and io-ts.',
      severity: 'error',
      from: { path: '^domain/' },
      to: { pathNot: ['^domain/', libraries(['fp-ts', 'io-ts'])] },
    },
    {
      name: 'application-looks-inward',
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
      name: 'adapters-do-not-know-who-wires-them',
      severity: 'error',
      from: { path: '^adapters/' },
      to: { path: '^bootstrap/' },
    },
    {
      name: 'adapters-use-ports-only',
      comment: 'The way in dispatches on the buses; every other adapter implements a port and knows no use case.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: '^adapters/http/' },
      to: {
        path: '^application/',
        pathNot: '^application/(ports/|(fault|interceptor|passwords/constant-time)[.]ts)',
      },
    },
    {
      name: 'http-dispatches-on-buses',
      severity: 'error',
      from: { path: '^adapters/http/' },
      to: {
        path: '^application/',
        pathNot: '^application/(ports/log|fault|health|interceptor|bus|passwords/constant-time)[.]ts',
      },
    },
    {
      name: 'adapters-are-strangers',
      comment: 'A store, mailer or secrets provider never imports another one, nor the way in.',
      severity: 'error',
      from: {
        path: '^adapters/((?:http|password-hashes|observability|webhooks|json-lines|secrets)|(?:stores|mailers)/[^/]+)/',
      },
      to: { path: '^adapters/', pathNot: '^adapters/($1|aws|kit)/' },
    },
    {
      name: 'aws-serves-its-services',
      comment: 'What the adapters of AWS share knows none of them, and no other adapter needs it.',
      severity: 'error',
      from: { path: '^(?!adapters/(?:(?:aws|stores/dynamodb|mailers/ses)/|secrets/secrets-manager[.]ts))' },
      to: { path: '^adapters/aws/' },
    },
    {
      name: 'aws-knows-no-adapter',
      severity: 'error',
      from: { path: '^adapters/aws/' },
      to: { path: '^adapters/', pathNot: '^adapters/(aws|kit)/' },
    },
    {
      name: 'the-kit-imports-no-adapter',
      comment: 'Every adapter is defined with the kit.',
      severity: 'error',
      from: { path: '^adapters/kit/' },
      to: { path: '^adapters/', pathNot: '^adapters/kit/' },
    },
    {
      name: 'inversify-stays-in-bootstrap',
      severity: 'error',
      from: { pathNot: '^bootstrap/' },
      to: { path: libraries(['inversify', 'reflect-metadata']) },
    },
    {
      name: 'the-build-is-no-part-of-the-service',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap)/' },
      to: { path: '^tools/' },
    },
    {
      name: 'nothing-published-needs-what-is-not',
      comment: 'Tests and benchmarks look at the product from outside, and are in no package.',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap)/' },
      to: { path: '^(tests|benchmarks)/' },
    },
    {
      name: 'published-suites-need-little',
      comment:
        'The suites of latchkey/contract and latchkey/contract/http are published without the rest of the tests.',
      severity: 'error',
      from: { path: '^sdk/contract/' },
      to: {
        path: '^tests/',
        pathNot: '^tests/support/((arbitraries|outcomes|doubles/in-memory-user-store)[.]ts$)',
      },
    },
    {
      name: 'published-suites-declare-their-packages',
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
      name: 'the-service-knows-none-of-its-callers',
      severity: 'error',
      from: { path: '^(domain|application|adapters|bootstrap)/' },
      to: { path: '^sdk/(client|testing)/' },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'It runs wherever there is fetch: nothing of Node.js, and nothing of the service.',
      severity: 'error',
      from: { path: '^sdk/client/' },
      to: { pathNot: ['^sdk/client/[^/]+$', libraries(['openapi-fetch'])] },
    },
    {
      name: 'containers-are-asked-for',
      comment: 'latchkey/testing needs no Testcontainers; latchkey/testing/container does.',
      severity: 'error',
      from: { path: '^sdk/(client|testing)/', pathNot: '^sdk/testing/container[.]ts$' },
      to: { path: libraries(['testcontainers']) },
    },
    {
      name: 'pages-are-made-by-the-strict-tag',
      comment: 'The tag of the library itself can be told not to escape.',
      severity: 'error',
      from: { path: '^adapters/', pathNot: '^adapters/http/pages/html[.]ts$' },
      to: { path: libraries(['@remix-run/html-template', 'escape-html']) },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-undeclared-package',
      comment: 'The build inlines packages, so that those of the program may be among the devDependencies too.',
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

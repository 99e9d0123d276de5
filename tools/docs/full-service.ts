import { adminPermissions } from '../../adapters/http/authentication/permissions.ts';
import { startLatchkey, type TestLatchkey } from '../../sdk/testing/start-latchkey.ts';

/** The key of its administrator. */
export const fullServiceAdministrator = { application: 'support', secret: 'of the support team' };

/** What precedes a permission in the scopes of its document. */
export const scopePrefix = 'latchkey:';

/** Starts a service with every option that adds an operation or a problem code to the OpenAPI document. */
export const startFullService = (): Promise<TestLatchkey> =>
  startLatchkey({
    activity: {},
    admin: { keys: [{ ...fullServiceAdministrator, may: adminPermissions }], createUsers: true },
    email: {
      queue: true,
      confirmPage: true,
      confirmChange: true,
      tokenLifetime: '24h',
      resendInterval: '60s',
      locales: ['de'],
    },
    auth: {
      type: 'oauth',
      issuer: 'https://login.example.com/',
      jwksUrl: 'http://127.0.0.1:1/keys',
      scopePrefix,
    },
    passwordHash: { serverSideHash: true },
    passwordRules: {},
    properties: {},
    privacy: { hideUnknownUsers: true },
    recovery: {},
    invitations: {},
    server: { publicUrl: 'https://users.example.com' },
    signUp: {
      blockedDomains: ['example.org'],
      oneAccountPerMailbox: true,
      perClient: 100,
      quiet: { url: 'https://app.example.com/sign-in' },
    },
    throttle: {},
    users: { ids: true },
  });

import { expect } from 'chai';
import { Environment } from '../../../support/environment.ts';
import { refusalOf } from './read-configuration.ts';

const canary = 'canary-7f3a';

/** A file in which every option has the same wrong value, which might be a secret. */
const everythingIs = (value: string): string =>
  JSON.stringify({
    server: {
      host: [value],
      port: value,
      adminPort: value,
      publicUrl: value,
      workers: value,
      trustProxy: value,
      tls: { certFile: value, keyFile: value },
      applicationConnectors: [{ type: value, port: value }],
      adminConnectors: value,
    },
    logging: { level: value, requests: value },
    database: { type: value, connectionString: value },
    email: {
      type: 'outbox',
      fromAddress: value,
      verificationOnUpdate: value,
      messageOptions: { bodyHtmlFilePath: value, bodyTextFilePath: value, successHtml: value },
    },
    secrets: { provider: 'env' },
    passwordHash: { algorithm: value, serverSideHash: value },
    properties: { allowSubset: value, allowed: value },
    operationTimeout: value,
    options: { operationTimeout: value },
    openApi: { enabled: value, contactEmail: value, licenseUrl: value },
    auth: {
      type: 'oauth',
      keys: [{ application: 'a', secret: value }],
      hmacSecret: value,
      rsaPublicKeyFilePath: value,
      requireExpiry: value,
    },
  });

describe('secrets of the configuration file', () => {
  const environment = new Environment();
  afterEach(() => environment.restore());

  it('do not appear in messages about wrong options', async () => {
    environment.set('LATCHKEY_TEST_CANARY', canary);
    for (const value of [canary, `\${LATCHKEY_TEST_CANARY}`, `https://\${LATCHKEY_TEST_CANARY}/?x`, `\${${canary} }`]) {
      const refusal = await refusalOf(everythingIs(value));
      expect(refusal.problems).to.have.length.above(20);
      for (const text of [refusal.message, String(refusal.stack), JSON.stringify(refusal)]) {
        expect(text).to.not.include(canary);
      }
    }
  });

  it('do not appear in messages about syntax errors', async () => {
    const files = [
      `secret: *${canary}`,
      `secret: !${canary}`,
      `secret: !!int ${canary}`,
      `a: b: ${canary}`,
      `secret: "\\${canary}"`,
      `secret: '${canary}`,
      `%${canary}\n---\na: 1`,
      `a: [${canary}`,
      `a: {b: \${${canary}}}`,
      `- a\n${canary}`,
      `? [${canary}]\n: x`,
      `a: @${canary}`,
      `a: &${canary} &${canary} x`,
    ];
    for (const file of files) {
      const text = (await refusalOf(file)).message;
      expect(text, file).to.include('line ').and.not.include(canary);
    }
  });
});

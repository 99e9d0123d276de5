import { expect } from 'chai';
import { environmentSecrets } from '../../../../adapters/secrets/environment-secrets.ts';
import { secretsContract } from '../../../../sdk/contract/secrets.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { Environment } from '../../../support/environment.ts';

secretsContract('environment variables', async () => {
  const environment = new Environment();
  return {
    secrets: await environmentSecrets.open({}, silentContext),
    store: async (name, value) => environment.set(name, value),
    dispose: async () => environment.restore(),
  };
});

describe('secrets from environment variables', () => {
  const environment = new Environment();
  afterEach(() => environment.restore());

  it('returns an empty secret for an empty variable', async () => {
    environment.set('LATCHKEY_TEST_EMPTY', '');
    const secrets = await environmentSecrets.open({}, silentContext);

    expect(await secrets.get('LATCHKEY_TEST_EMPTY')).to.equal('');
  });
});

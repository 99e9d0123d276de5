import { expect } from 'chai';
import { env } from '../../../../adapters/secrets/env/index.ts';
import { secretsContract } from '../../../../sdk/contract/secrets.ts';
import { silentContext } from '../../../support/doubles/silent-tools.ts';
import { Environment } from '../../../support/environment.ts';

secretsContract('environment variables', async () => {
  const environment = new Environment();
  return {
    secrets: await env.open({}, silentContext),
    store: async (name, value) => environment.set(name, value),
    dispose: async () => environment.restore(),
  };
});

describe('secrets: environment variables', () => {
  const environment = new Environment();
  afterEach(() => environment.restore());

  it('takes a variable that is set to nothing for an empty secret', async () => {
    environment.set('LATCHKEY_TEST_EMPTY', '');
    const secrets = await env.open({}, silentContext);

    expect(await secrets.get('LATCHKEY_TEST_EMPTY')).to.equal('');
  });
});

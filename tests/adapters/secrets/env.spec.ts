import { expect } from 'chai';
import { env } from '../../../adapters/secrets/env/index.ts';
import { secretsContract } from '../../contract/secrets.ts';
import { silentTools } from '../../doubles/silent-tools.ts';
import { Environment } from '../../environment.ts';

secretsContract('environment variables', async () => {
  const environment = new Environment();
  return {
    secrets: await env.open({}, silentTools),
    store: async (name, value) => environment.set(name, value),
    dispose: async () => environment.restore(),
  };
});

describe('secrets: environment variables', () => {
  const environment = new Environment();
  afterEach(() => environment.restore());

  it('takes a variable that is set to nothing for an empty secret', async () => {
    environment.set('LATCHKEY_TEST_EMPTY', '');
    const secrets = await env.open({}, silentTools);

    expect(await secrets.get('LATCHKEY_TEST_EMPTY')).to.equal('');
  });
});

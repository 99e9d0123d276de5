import { expect } from 'chai';
import { Installation } from './installation.ts';

describe('latchkey key', () => {
  let installation: Installation;
  before(async () => {
    installation = await Installation.create();
  });
  after(() => installation.dispose());

  it('makes another secret each time', async () => {
    const secrets = new Set<string>();
    for (const _ of [1, 2]) {
      const { status, stdout } = await installation.command(['key', '--application', 'shop']);
      expect(status).to.equal(0);
      expect(stdout).to.include('- application: "shop"\n');
      secrets.add(/^ {2}([A-Za-z0-9+/]{32})$/m.exec(stdout)?.[1] ?? '');
    }
    expect(secrets.size).to.equal(2);
    expect([...secrets]).to.not.include('');
  });

  it('refuses a file, and a name with a colon', async () => {
    for (const args of [['latchkey.yaml'], ['--application', 'a:b'], ['--application', '']]) {
      const { status, stdout } = await installation.command(['key', ...args]);
      expect(status, args.join(' ')).to.equal(2);
      expect(stdout).to.equal('');
    }
  });
});

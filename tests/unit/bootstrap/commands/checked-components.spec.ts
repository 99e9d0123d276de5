import { expect } from 'chai';
import { systemClock } from '../../../../adapters/system-clock.ts';
import { type Health, healthOf } from '../../../../application/health.ts';
import { componentsOf } from '../../../../bootstrap/commands/checked-components.ts';
import { openAuthentication } from '../../../../bootstrap/service/authentication.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { configured } from '../configuration/read-configuration.ts';
import { adapterText, Project } from '../plugins/project.ts';

describe('a check of a password hash', () => {
  let project: Project;
  beforeEach(async () => {
    project = await Project.create({});
  });
  afterEach(() => project.dispose());

  const health = async (open: string): Promise<Health | undefined> => {
    await project.write('hash.mjs', adapterText({ port: `'PasswordHash'`, portVersion: '2', open }));
    const database = { type: 'memory' };
    const passwordHash = { algorithm: 'module', module: './hash.mjs' };
    const { configuration } = await project.read({ database, passwordHash });
    const authentication = await openAuthentication(configuration.auth, silentContext.log, systemClock);
    const components = componentsOf(configuration, authentication, silentContext);
    const component = components.find(({ name }) => name === 'password hash (module)');
    return component && healthOf(component);
  };
  const hash = (verify: string): string =>
    `async () => ({ canHash: () => true, hash: async (text) => 'of ' + text, verify: async ${verify}, inspect: () => 'current' })`;

  it('makes and verifies a hash with the adapter of another package', async () => {
    expect(await health(hash(`(stored, text) => stored === 'of ' + text`))).to.include({ healthy: true });
  });

  for (const [what, open, message] of [
    ['cannot be opened', `() => { throw new RangeError('canary') }`, 'the adapter acme failed to open: RangeError at'],
    ['matches no password', hash('() => false'), 'does not match its password'],
    ['matches every password', hash('() => true'), 'does not match its password, or also another one'],
    ['returns nothing', hash('() => {}'), 'the adapter acme returned from verify what'],
  ] as const)
    it(`fails if it ${what}`, async () => {
      const found = await health(open);
      expect(found).to.include({ healthy: false });
      expect(found?.message).to.include(message).and.not.include('canary');
    });

  it('is left out for an algorithm of Latchkey', async () => {
    const configuration = await configured('database: {type: memory}');
    const authentication = await openAuthentication(configuration.auth, silentContext.log, systemClock);
    const names = componentsOf(configuration, authentication, silentContext).map(({ name }) => name);
    expect(names).to.deep.equal(['secrets (env)', 'database (memory)']);
  });
});

import { expect } from 'chai';
import { createUser, eachWithInstallation } from '../process/installation.ts';
import { CallersProject } from '../process/published.ts';
import { fencedBlocksOf } from './fenced-blocks.ts';

describe('docs/api.md', () => {
  const installation = eachWithInstallation();
  let project: CallersProject;
  before(() => {
    project = new CallersProject();
  });
  after(() => project.dispose());

  it('shows a working call of the typed client', async function () {
    this.timeout(30_000);
    const { url, stop } = await installation().serve();
    const [program] = fencedBlocksOf('api.md').filter(({ language }) => language === 'ts');
    project.write('call.mjs', program?.text.replace('http://127.0.0.1:8080', url) ?? '');
    expect(project.node(['call.mjs']).stdout).to.equal('refused: user_not_found\n');
    expect(await createUser(url, 'jane@example.com')).to.equal(201);
    expect(project.node(['call.mjs']).stdout).to.equal('verified: false\n');
    await stop();
  });
});

import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { welcome } from '../../bootstrap/commands/serve.ts';
import { readConfiguration } from '../../bootstrap/configuration/configuration-file.ts';
import { eachWithInstallation } from '../process/installation.ts';
import { CallersProject } from '../process/published.ts';
import { silentContext } from '../support/doubles/silent-context.ts';
import { textOf } from './documents.ts';
import { localConfiguration } from './local-configuration.ts';

const readme = textOf('README.md');
const local = 'config/local.yaml';

describe('README.md', () => {
  const installation = eachWithInstallation();

  it('shows the output of npm start', async () => {
    const file = fileURLToPath(new URL(`../../${local}`, import.meta.url));
    const { configuration } = await readConfiguration(file, silentContext.log);
    const { server } = configuration;
    const service = {
      url: `http://${server.host}:${server.port}`,
      adminUrl: `http://${server.adminHost}:${server.adminPort}`,
      readiness: async () => ({ healthy: true, message: '' }),
      mailStatus: async () => 'mails are written to files in ./data/outbox',
      reload: async () => {},
      stop: async () => {},
    };
    const [ready] = (await welcome(service, configuration, await service.readiness()))
      .trim()
      .split('\n\nCreate a user:');
    expect(readme).to.include(`\`\`\`\n${ready}\n\`\`\``);
  });

  it('creates another user than the tour and the command that a start prints', () => {
    const createdIn = (text: string) =>
      [...text.matchAll(/(?:address"?: ?"|\[email, password\] = \[')([^"']+)["']/g)].map(([, address]) => address);
    const [inReadme, ...others] = createdIn(readme);
    expect(others).to.deep.equal([]);
    expect(createdIn(textOf('docs/tour.md'))).to.not.be.empty.and.to.not.include.oneOf([inReadme, 'jane@example.com']);
    expect(inReadme).to.be.a('string').and.not.equal('jane@example.com');
  });

  it('is short enough to be read at once, and links the concepts first', () => {
    const lines = readme.trimEnd().split('\n');
    expect(lines).to.have.lengthOf.at.most(120);
    expect(lines[2]).to.include('(docs/concepts.md)');
  });

  it('has a working program of eight lines', async function () {
    this.timeout(30_000);
    await installation().configure(await localConfiguration());
    const { url, stop } = await installation().serve();
    const [, program = ''] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(program.split('\n').filter((line) => line !== '')).to.have.lengthOf(8);
    const project = new CallersProject();
    try {
      project.write('sign-in.mjs', program.replace('http://127.0.0.1:8080', url));
      expect(project.node(['sign-in.mjs']).stdout).to.equal('signed in\n');
    } finally {
      project.dispose();
    }
    const user = await fetch(`${url}/users?email=ada@example.com`, {
      headers: { Authorization: `Basic ${btoa('dev:development-only')}`, password: 'correct horse' },
    });
    const stored = JSON.parse(await user.text());
    expect(stored).to.deep.include({ plan: 'free' });
    expect(stored.email.verificationToken).to.be.a('string');
    await stop();
  });
});

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { welcome } from '../../bootstrap/commands/serve.ts';
import { readConfiguration } from '../../bootstrap/configuration/index.ts';
import { eachWithInstallation } from '../process/installation.ts';
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
      reload: () => {},
      stop: async () => {},
    };
    const [ready] = (await welcome(service, configuration, await service.readiness()))
      .trim()
      .split('\n\nCreate a user:');
    expect(readme).to.include(`\`\`\`\n${ready}\n\`\`\``);
  });

  it('creates another user than the tour and the command that a start prints', () => {
    const createdIn = (text: string) =>
      [...text.matchAll(/-d '\{"email": ?\{"address": ?"([^"]+)"\}/g)].map(([, address]) => address);
    const [inReadme, ...others] = createdIn(readme);
    expect(others).to.deep.equal([]);
    expect(createdIn(textOf('docs/tour.md'))).to.not.be.empty.and.to.not.include.oneOf([inReadme, 'jane@example.com']);
    expect(inReadme).to.be.a('string').and.not.equal('jane@example.com');
  });

  it('has a working first session', async function () {
    this.timeout(30_000);
    await installation().configure(await localConfiguration());
    const { url, stop } = await installation().serve();
    const [, session = ''] = /## A first session\n\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
    const { stdout } = spawnSync('bash', ['-euo', 'pipefail'], {
      input: session.replaceAll('curl ', "curl -sw '\\n%{http_code}\\n' ").replaceAll('http://127.0.0.1:8080', url),
      cwd: installation().folder,
      encoding: 'utf8',
    });
    await stop();
    const [created, , read, , sent] = stdout.split('\n');
    expect(stdout.match(/^\d{3}$/gm)).to.deep.equal(['201', '200', '200']);
    expect(JSON.parse(created ?? '')).to.deep.include({ plan: 'free' });
    expect(read).to.equal(created);
    expect(JSON.parse(sent ?? '').email.verificationToken).to.be.a('string');
  });
});

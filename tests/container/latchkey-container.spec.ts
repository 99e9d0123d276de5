import { expect } from 'chai';
import { rejection } from '../../sdk/contract/outcomes.ts';
import { LatchkeyContainer, type StartedLatchkeyContainer } from '../../sdk/testing/container.ts';
import { startContainer } from '../support/engines/containers.ts';
import { image, needsImage } from './image.ts';

const jane = { email: 'jane@example.com', password: 'correct horse' };

describe('LatchkeyContainer', function () {
  this.timeout(120_000);
  needsImage();

  const containers: StartedLatchkeyContainer[] = [];
  const started = async (container: LatchkeyContainer): Promise<StartedLatchkeyContainer> => {
    const running = await startContainer(container);
    containers.push(running);
    return running;
  };
  after(() => Promise.all(containers.map((container) => container.stop({ timeout: 1_000 }))));

  it('starts a ready service with one key, users in memory and mails in an outbox', async () => {
    const container = await started(new LatchkeyContainer(image));
    expect((await fetch(`${container.getAdminUrl()}/readyz`)).status).to.equal(200);
    expect(await (await fetch(`${container.getAdminUrl()}/healthcheck`)).text()).to.include('users are kept in memory');
    const client = container.getClient();
    const created = await client.createUser({ email: { address: jane.email }, password: jane.password });
    expect(created).to.have.property('ok', true);
    const sent = await client.sendVerification(jane);
    const token = sent.ok ? String(sent.user.email.verificationToken) : '';
    expect(await client.confirmVerification({ email: jane.email, token })).to.have.property('ok', true);
    const { output } = await container.exec(['sh', '-c', 'cat /data/outbox/*.eml']);
    expect(output).to.include(`${container.getUrl()}/verify?email=jane%40example.com&token=${token}`);
  });

  it('accepts a configuration and an environment', async () => {
    const container = await started(
      new LatchkeyContainer(image).withEnvironment({ TITLE: 'Accounts of the shop' }).withConfiguration({
        server: { publicUrl: 'https://accounts.example.com', port: 1 },
        passwordHash: { algorithm: 'argon2', serverSideHash: true },
        auth: { keys: [{ application: 'shop', secret: 'a secret of the shop' }] },
        openApi: { title: '${TITLE}' },
      }),
    );
    expect(container.credentials).to.deep.equal({ application: 'shop', secret: 'a secret of the shop' });
    expect(await (await fetch(`${container.getUrl()}/openapi.json`)).text()).to.include('Accounts of the shop');
    const created = await container.getClient().createUser({ email: { address: jane.email }, password: jane.password });
    expect(created)
      .to.have.nested.property('user.password')
      .that.matches(/^\$argon2id\$/);
  });

  it('reports why it does not start', async () => {
    const wrong = new LatchkeyContainer(image).withConfiguration({ passwordHash: { algorithm: 'md5' } });
    expect(String(await rejection(startContainer(wrong)))).to.include('passwordHash.algorithm: expected one of');
  });

  it('reports why it does not start every time, also if it ends before it has ports', async () => {
    const sentence = 'passwordHash.algorithm: expected one of';
    for (const script of [`echo '${sentence}' >&2; exit 2`, `sleep 0.3; echo '${sentence}' >&2; exit 2`]) {
      const ended = new LatchkeyContainer(image).withEntrypoint(['sh', '-c', script]);
      expect(String(await rejection(startContainer(ended))), script).to.include(sentence);
    }
  });

  it('has a client of the administration, and its mails as a list', async () => {
    const container = await started(new LatchkeyContainer(image));
    const client = container.getClient();
    await client.createUser({ email: { address: jane.email }, password: jane.password });
    expect(await container.getAdminClient().getUser(jane.email)).to.have.property('ok', true);
    expect(await container.outbox()).to.deep.equal([]);
    await client.sendVerification(jane);
    const [mail] = await container.outbox();
    expect(mail).to.include({ to: jane.email, subject: 'Account Verification' });
    expect(mail?.links[0]).to.include('/verify?email=jane%40example.com&token=');
  });
});

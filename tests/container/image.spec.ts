import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Account, basic, Client } from '../../sdk/contract/http/client.ts';
import { SecretLeakDetector } from '../../sdk/contract/http/secret-leak-detector.ts';
import { Run } from '../process/run.ts';
import { eventually } from '../support/eventually.ts';
import { silentServer } from '../support/tcp-servers.ts';
import { docker, image, runImage } from './image.ts';

const secret = randomUUID();
const withSecret = ['--env', `LATCHKEY_WEB_APP_SECRET=${secret}`];

const isListening = (run: Run): boolean => run.log.some(({ msg }) => msg === 'listening');

/** Runs a container with the configuration of the image during `visit`. */
const whileServing = async (
  flags: readonly string[],
  visit: (client: Client, name: string) => Promise<void>,
): Promise<Run> => {
  const name = `latchkey-${randomUUID()}`;
  const run = new Run(runImage(['--name', name, '--publish', '127.0.0.1::8080', ...withSecret, ...flags]));
  try {
    await run.until(() => isListening(run));
    const [address] = (await docker('port', name, '8080')).split('\n');
    await visit(new Client(`http://${address}`, basic('web-app', secret), new SecretLeakDetector()), name);
  } finally {
    run.child.kill('SIGTERM');
    await run.ended;
  }
  return run;
};

describe('the image', () => {
  it('refuses to start without a secret, and names the variable', async () => {
    const run = new Run(runImage([]));
    expect(await run.ended).to.equal(2);
    expect(run.stderr).to.include('the environment variable LATCHKEY_WEB_APP_SECRET is not set');
  });

  it('needs nothing else, and keeps users and mails on the volume', async () => {
    const volume = `latchkey-${randomUUID()}`;
    const flags = ['--volume', `${volume}:/data`];
    try {
      const kept: [Omit<Account, 'user'>, unknown][] = [];
      await whileServing(flags, async (client, name) => {
        const account = await client.postUser();
        const { address, password } = account;
        expect((await client.post('/verify', { query: { email: address }, password })).status).to.equal(200);
        expect(await docker('exec', name, 'ls', '/data/outbox')).to.match(/^\S+\.eml$/);
        kept.push([account, (await client.read(account)).json]);
      });
      await whileServing(flags, async (client) => {
        for (const [account, user] of kept) expect((await client.read(account)).json).to.deep.equal(user);
      });
      expect(kept).to.have.lengthOf(1);
    } finally {
      await docker('volume', 'rm', '--force', volume);
    }
  });

  it('does not run as root, also with an arbitrary user id, and can only write /data and /tmp', async () => {
    for (const [flags, identity] of [
      [[], '1000'],
      [['--user', '54321:0'], '54321'],
    ] as const) {
      await whileServing(flags, async (client, name) => {
        await client.postUser();
        expect(await docker('exec', name, 'id', '-u')).to.equal(identity);
        const writable = 'for d in /data /tmp /app /etc/latchkey /; do touch $d/x 2>/dev/null && echo $d; done; true';
        expect(await docker('exec', name, 'sh', '-c', writable)).to.equal('/data\n/tmp');
      });
    }
  });

  it('is healthy once it responds, and exits with 0 on docker stop', async () => {
    const run = await whileServing(['--health-interval', '200ms'], async (_, name) => {
      const status = (): Promise<string> => docker('inspect', '--format', '{{.State.Health.Status}}', name);
      await eventually(async () => expect(await status()).to.equal('healthy'), 10_000);
      await docker('stop', '--time', '8', name);
    });
    expect(await run.ended).to.equal(0);
    expect(run.log.map(({ msg }) => msg)).to.include.members(['stopping', 'stopped']);
  });

  it('exits with 0 when it is stopped during the start', async () => {
    const secrets = await silentServer();
    const place = `{provider: secretsmanager, endpoint: "http://127.0.0.1:${secrets.port}", region: eu-central-1}`;
    const yaml = `{secrets: ${place}, database: {type: sqlite}, openApi: {title: "\${TITLE}"}}`;
    const start = `echo '${yaml}' > /tmp/l.yaml; exec latchkey serve /tmp/l.yaml`;
    const credentials = ['--env', 'AWS_ACCESS_KEY_ID=any', '--env', 'AWS_SECRET_ACCESS_KEY=any'];
    const run = new Run(runImage(['--network', 'host', ...credentials, '--entrypoint', 'sh'], ['-c', start]));
    await eventually(async () => expect(secrets.connections).to.not.be.empty, 8_000);
    run.child.kill('SIGTERM');
    expect(await run.ended).to.equal(0);
    await secrets.close();
  });

  it('adds at most 50 MB to its base', async () => {
    const size = async (name: string): Promise<number> =>
      Number(await docker('image', 'inspect', '-f', '{{.Size}}', name));
    expect((await size(image)) - (await size('node:24-bookworm-slim'))).to.be.below(50e6);
  });
});

import { request } from 'node:https';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type Certificate, certificateFor } from '../support/mail-server.ts';
import { clientHeaders, eachWithInstallation } from './installation.ts';

describe('latchkey serve with TLS', function () {
  this.timeout(30_000);
  const installation = eachWithInstallation();
  let certificate: Certificate;
  before(async () => {
    certificate = await certificateFor('localhost');
  });
  after(() => certificate.remove());

  const files = { certFile: 'cert.pem', keyFile: 'key.pem' };
  const configure = async (server: object, key = certificate.key) => {
    await installation().write('cert.pem', certificate.cert);
    await installation().write('key.pem', key);
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, ...server } });
  };
  const serve = (key?: string) => configure({ tls: files }, key);

  const get = (url: string, path = '/users?email=jane%40example.com'): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(url);
      const headers = { ...clientHeaders, password: 'any' };
      request({ host: '127.0.0.1', servername: 'localhost', port, path, headers, ca: certificate.cert, agent: false })
        .once('error', reject)
        .once('response', (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        })
        .end();
    });

  it('answers over TLS only, and stops as without TLS', async () => {
    await serve();
    const { url, adminUrl, stop } = await installation().serve();
    expect(url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(adminUrl).to.match(/^http:/);
    expect(await get(url)).to.equal(404);
    // Neither plain HTTP nor a silent connection gets a response or keeps the service from stopping.
    const plain = await fetch(url.replace('https', 'http')).then(
      ({ status }) => status,
      () => 'no response',
    );
    expect(plain).to.equal('no response');
    const silent = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => silent.once('connect', resolve));
    expect(await get(url)).to.equal(404);
    expect(await stop()).to.equal(0);
    silent.destroy();
  });

  it('ends with 2 when the key is not that of the certificate', async () => {
    const other = await certificateFor('localhost');
    await serve(other.key);
    await other.remove();
    const { status, stderr } = await installation().command(['serve', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include(
      'server.tls: the certificate or the key is not in PEM form, or the key does not belong to the certificate',
    );
    expect(stderr).to.not.include('PRIVATE KEY');
  });

  for (const file of ['certFile', 'keyFile'])
    it(`ends with 2 when the file of ${file} is empty`, async () => {
      await installation().write('empty.pem', '');
      await configure({ tls: { ...files, [file]: 'empty.pem' } });
      const { status, stderr } = await installation().command(['check', 'latchkey.yaml']);
      expect(status).to.equal(2);
      expect(stderr).to.include(`server.tls.${file}: the file is empty`);
    });

  it('ends with 2 when a file is missing', async () => {
    await configure({ tls: { ...files, keyFile: 'gone.pem' } });
    const { status, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include('server.tls.keyFile: the file does not exist');
  });

  for (const workers of [1, 2])
    it(`uses TLS on the admin port if a certificate is configured for it, in ${workers} process(es)`, async () => {
      await configure({ workers, adminTls: files });
      const { url, adminUrl, run, stop } = await installation().serve();
      expect(url).to.match(/^http:/);
      expect(adminUrl).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
      expect(run.stderr).to.include(`${adminUrl}/healthcheck\n`);
      for (const path of ['/livez', '/outbox']) expect(await get(adminUrl, path)).to.equal(200);
      const plain = await fetch(`${adminUrl.replace('https', 'http')}/livez`).then(
        ({ status }) => status,
        () => 'no response',
      );
      expect(plain).to.equal('no response');
      expect(await stop()).to.equal(0);
    });

  it('reports when certificates end, in latchkey check and as a metric', async () => {
    const endMs = Math.floor(Date.now() / 1_000) * 1_000 + 13 * 24 * 3_600_000;
    const ending = await certificateFor('localhost', new Date(endMs));
    // The certificate of the authority may end later.
    await installation().write('cert.pem', `${ending.cert}\n${certificate.cert}`);
    await installation().write('key.pem', ending.key);
    await ending.remove();
    await installation().configure({
      server: { host: '127.0.0.1', port: 0, adminPort: 0, tls: files, publicUrl: 'https://localhost' },
    });
    const day = new Date(endMs).toISOString().slice(0, 10);
    const { status, stdout, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include(
      `warn  server.tls.certFile: a certificate ends on ${day}; renew it and reload the service\n`,
    );
    const { adminUrl } = await installation().serve();
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
    expect(metrics).to.include(`latchkey_certificate_expiry_timestamp_seconds{port="service"} ${endMs / 1_000}\n`);
    expect(metrics).not.to.include('port="admin"');
  });

  it('reports wrong certificate files of the admin port like those of the service', async () => {
    const other = await certificateFor('localhost');
    await configure({ tls: files, adminTls: files }, other.key);
    await other.remove();
    const mismatched = await installation().command(['check', 'latchkey.yaml']);
    expect(mismatched.status).to.equal(2);
    expect(mismatched.stderr).to.include('server.tls: the certificate or the key');
    expect(mismatched.stderr).to.include('server.adminTls: the certificate or the key').and.not.include('PRIVATE KEY');
    await configure({ adminTls: { ...files, certFile: 'gone.pem' } });
    const missing = await installation().command(['check', 'latchkey.yaml']);
    expect(missing.status).to.equal(2);
    expect(missing.stderr).to.include('server.adminTls.certFile: the file does not exist');
  });
});

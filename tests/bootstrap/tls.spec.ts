import { request } from 'node:https';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type Certificate, certificateFor } from '../adapters/mailers/smtp/mail-server.ts';
import { clientHeaders, eachWithInstallation } from './installation.ts';

describe('latchkey serve with TLS', function () {
  this.timeout(10_000);
  const installation = eachWithInstallation();
  let certificate: Certificate;
  before(async () => {
    certificate = await certificateFor('localhost');
  });
  after(() => certificate.remove());

  const serve = async (key = certificate.key) => {
    await installation().write('cert.pem', certificate.cert);
    await installation().write('key.pem', key);
    const tls = { certFile: 'cert.pem', keyFile: 'key.pem' };
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, tls } });
  };

  const get = (url: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(url);
      const path = '/users?email=jane%40example.com';
      const headers = { ...clientHeaders, password: 'any' };
      request({ host: '127.0.0.1', servername: 'localhost', port, path, headers, ca: certificate.cert, agent: false })
        .once('error', reject)
        .once('response', (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        })
        .end();
    });

  it('answers over TLS only, and stops as it does without', async () => {
    await serve();
    const { url, adminUrl, stop } = await installation().serve();
    expect(url).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(adminUrl).to.match(/^http:/);
    expect(await get(url)).to.equal(404);
    // Plain HTTP, and somebody who says nothing: neither gets an answer, and neither keeps the service from stopping.
    const plain = await fetch(url.replace('https', 'http')).then(
      ({ status }) => status,
      () => 'no answer',
    );
    expect(plain).to.equal('no answer');
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
      'server.tls: the certificate or the key is not in PEM form, or they do not belong together',
    );
    expect(stderr).to.not.include('PRIVATE KEY');
  });

  it('ends with 2 when a file is missing', async () => {
    await serve();
    const tls = { certFile: 'cert.pem', keyFile: 'gone.pem' };
    await installation().configure({ server: { host: '127.0.0.1', port: 0, adminPort: 0, tls } });
    const { status, stderr } = await installation().command(['check', 'latchkey.yaml']);
    expect(status).to.equal(2);
    expect(stderr).to.include('server.tls.keyFile: there is no such file');
  });
});

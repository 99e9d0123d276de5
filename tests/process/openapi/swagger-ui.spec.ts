import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { eachWithInstallation } from '../installation.ts';
import { withDescribedService } from './described-service.ts';

/** The addresses of the links, scripts and images of the page. */
const loadedBy = (html: string): readonly string[] =>
  [...html.matchAll(/<(?:link|script|img|iframe)\b[^>]*?\b(?:href|src)="([^"]*)"/g)].map(
    ([, address]) => address ?? '',
  );

describe('the documentation page', () => {
  const service = withDescribedService({
    openApi: { title: 'Accounts <script>alert(1)</script>', redirectRoot: true },
  });
  const page = async () => {
    const response = await fetch(`${service().url}/swagger`);
    expect(response.status).to.equal(200);
    return { html: await response.text(), headers: response.headers };
  };

  it('is the target of / by a relative address, which also works behind a path prefix', async () => {
    const response = await fetch(`${service().url}/`, { redirect: 'manual' });
    expect(response.status).to.equal(302);
    expect(response.headers.get('location')).to.equal('swagger');
  });

  it('loads only relative addresses, and each of them is served', async () => {
    const { html } = await page();
    const addresses = [...loadedBy(html), 'openapi.json'];
    expect(addresses).to.have.length(5);
    for (const address of addresses) {
      expect(address).not.to.match(/^\/|:/);
      const response = await fetch(new URL(address, `${service().url}/swagger`));
      expect(response.status, address).to.equal(200);
      expect((await response.arrayBuffer()).byteLength, address).to.be.greaterThan(100);
    }
  });

  it('refers to no other host, nor does its style sheet', async () => {
    const { html } = await page();
    expect(html.replaceAll('http://www.w3.org/', '')).not.to.match(/https?:|url\(|@import/);
    const style = await (await fetch(`${service().url}/swagger/assets/swagger-ui.min.css`)).text();
    expect(style.replaceAll('http://www.w3.org/', '')).not.to.match(/url\((?!["']?data:)|@import/);
  });

  it('has a policy that allows its inline scripts and no other host', async () => {
    const { html, headers } = await page();
    const policy = headers.get('content-security-policy') ?? '';
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script]) => script ?? '');
    expect(scripts).to.have.length(2);
    for (const script of scripts) {
      expect(policy).to.include(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
      expect(() => new Function(script), 'the script is JavaScript').not.to.throw();
    }
    expect(policy)
      .to.include("default-src 'none'")
      .and.match(/script-src 'self' 'sha256-[^;]*;/);
    expect(policy).not.to.match(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/);
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('has the key for development, whose secret is public', async () => {
    expect((await page()).html).to.include('<meta name="development-key" content="dev:development-only">');
  });

  it('escapes the title', async () => {
    const { html } = await page();
    expect(html).to.include('<title>Accounts &lt;script&gt;alert(1)&lt;/script&gt;</title>');
  });

  it('serves no other file', async () => {
    for (const name of ['package.json', '..%2fpackage.json', 'constructor', '__proto__', 'swagger-ui.css.map']) {
      expect((await fetch(`${service().url}/swagger/assets/${name}`)).status, name).to.equal(404);
    }
  });
});

describe('the documentation page of a service with a secret of its own', () => {
  const secret = 'a secret of the application';
  const service = withDescribedService({ auth: { keys: [{ application: 'dev', secret }] } });

  it('has no key', async () => {
    const html = await (await fetch(`${service().url}/swagger`)).text();
    expect(html).to.include('<meta name="development-key" content="">').and.not.include(secret);
  });
});

describe('a service without documentation', () => {
  const installation = eachWithInstallation();

  it('answers 404 at all addresses of the documentation', async () => {
    await installation().configure({ openApi: { enabled: false, redirectRoot: true } });
    const { url } = await installation().serve();
    for (const path of ['/', '/openapi.json', '/openapi.yaml', '/swagger', '/swagger/assets/swagger-ui-bundle.js']) {
      expect((await fetch(url + path)).status, path).to.equal(404);
    }
  });
});

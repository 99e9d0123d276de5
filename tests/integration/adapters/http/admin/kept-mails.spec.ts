import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type LatchkeyConfiguration, startLatchkey, type TestLatchkey } from '../../../../../sdk/testing/index.ts';

describe('/outbox on the admin port', () => {
  let directory: string;
  const services: TestLatchkey[] = [];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'latchkey-outbox-page-'));
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  const startWith = async (options: LatchkeyConfiguration): Promise<TestLatchkey> => {
    const service = await startLatchkey(options);
    services.push(service);
    return service;
  };
  const start = (email: Readonly<Record<string, unknown>> = {}): Promise<TestLatchkey> =>
    startWith({ email: { type: 'outbox', directory, ...email } });

  /** Creates a user and requests the verification mail. */
  const mail = async ({ url, credentials }: TestLatchkey, address: string): Promise<void> => {
    const key = Buffer.from(`${credentials?.application}:${credentials?.secret}`).toString('base64');
    const headers = { Authorization: `Basic ${key}`, 'Content-Type': 'application/json', password: 'correct horse' };
    const body = JSON.stringify({ email: { address }, password: 'correct horse' });
    expect((await fetch(`${url}/users`, { method: 'POST', headers, body })).status).to.equal(201);
    const asked = await fetch(`${url}/verify?email=${encodeURIComponent(address)}`, { method: 'POST', headers });
    expect(asked.status).to.equal(200);
  };

  const look = async ({ adminUrl }: TestLatchkey, path = '/outbox') => {
    const response = await fetch(`${adminUrl}${path}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  const read = (html: string): string => html.replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  const pathsIn = (page: string): readonly string[] =>
    [...page.matchAll(/<li><a href="([^"]+)"/g)].map(([, path = '']) => path);
  const scriptsIn = (page: string): string =>
    [...page.matchAll(/<script>([^<]*)<\/script>/g)].map(([, text]) => text).join();
  const digestOf = (script: string): string => `sha256-${createHash('sha256').update(script).digest('base64')}`;
  const bodyOf = (page: string): string => /<iframe src="([^"]+)"/.exec(page)?.[1] ?? '';

  it('lists the mails from the newest to the oldest, and opens the newest, with its own script only', async () => {
    const service = await start();
    await mail(service, 'first@example.com');
    await mail(service, 'second@example.com');
    const { status, headers, text } = await look(service);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(headers.get('content-security-policy'))
      .to.match(/^default-src 'none'; .*frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/)
      .and.include(`script-src '${digestOf(scriptsIn(text))}';`);
    const listed = [...text.matchAll(/<span class="to">([^<]+)</g)].map(([, to]) => to);
    expect(listed).to.deep.equal(['second@example.com', 'first@example.com']);
    expect(text).to.include('<dd>second@example.com</dd>').and.include('<h2 id="subject">Account Verification</h2>');
    const [, first = ''] = pathsIn(text);
    expect((await look(service, first)).text).to.include('<dd>first@example.com</dd>');
  });

  it('is JSON for programs that prefer it, with the link of the service first', async () => {
    const bodyTextFilePath = join(directory, 'text.txt');
    await writeFile(
      bodyTextFilePath,
      'Hello, see https://example.com/help and https://example.com/help or CODEGEN-URL',
    );
    const service = await start({ messageOptions: { bodyTextFilePath } });
    const mailsFor = async (Accept: string) => {
      const response = await fetch(`${service.adminUrl}/outbox`, { headers: { Accept } });
      expect(response.headers.get('vary')).to.equal('Accept');
      return response;
    };
    expect(await (await mailsFor('application/json')).json()).to.deep.equal({ mails: [] });
    await mail(service, 'first@example.com');
    await mail(service, 'second@example.com');
    const response = await mailsFor('application/json, text/html;q=0.5');
    expect(response.headers.get('content-type')).to.equal('application/json');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    const { mails } = JSON.parse(await response.text());
    expect(mails.map(({ to }: { to: string }) => to)).to.deep.equal(['second@example.com', 'first@example.com']);
    const [{ id, time, text, links, ...others }] = mails;
    expect(others).to.deep.equal({ to: 'second@example.com', subject: 'Account Verification' });
    expect(await readdir(directory)).to.include(`${id}.eml`);
    expect(time).to.be.closeTo(Date.now(), 60_000);
    expect(text).to.match(/^Hello, see /);
    expect(links).to.have.length(2);
    expect(links[0]).to.match(/\/verify\?email=second%40example.com&token=/);
    expect(links[1]).to.equal('https://example.com/help');
    for (const accept of [
      '*/*',
      'text/html, application/json;q=0.9',
      'text/html',
      `application/json${',a/b'.repeat(250)}`,
    ])
      expect((await mailsFor(accept)).headers.get('content-type'), accept).to.match(/^text\/html/);
  });

  it('has a link to verify the address', async () => {
    const service = await start();
    await mail(service, 'jane@example.com');
    const { text } = await look(service);
    const link = /<a href="([^"]+)"[^>]*>Open the link</.exec(text)?.[1] ?? '';
    const response = await fetch(read(link).replace(/^https?:\/\/[^/]+/, service.url));
    expect(response.url).to.equal(`${service.url}/verify/success`);
  });

  it('has the link of the service, whatever other links the mail shows', async () => {
    const bodyTextFilePath = join(directory, 'text.txt');
    await writeFile(bodyTextFilePath, 'Look at https://example.com/help?token=1');
    const service = await start({ messageOptions: { bodyTextFilePath } });
    await mail(service, 'jane@example.com');
    const { text } = await look(service);
    expect(text).to.match(/href="[^"]+\/verify\?email=jane%40example.com&amp;token=[^"]+"[^>]*>Open the link</);
    expect(text).to.match(/<a href="https:\/\/example.com\/help\?token=1"[^>]*>https:\/\/example.com\/help\?token=1</);
  });

  it('shows the HTML in a frame that runs no scripts and loads nothing', async () => {
    const bodyHtmlFilePath = join(directory, 'body.html');
    const html =
      '<html><head><title>x</title></head><body><script>alert(1)</script><a href="CODEGEN-URL">go</a></body></html>';
    await writeFile(bodyHtmlFilePath, html);
    const service = await start({ messageOptions: { bodyHtmlFilePath } });
    await mail(service, 'jane@example.com');
    const { text } = await look(service);
    const [, rights = ''] = /<iframe [^>]*sandbox="([^"]*)"/.exec(text) ?? [];
    expect(rights.split(' ')).to.have.members(['allow-popups', 'allow-popups-to-escape-sandbox']);
    const body = await look(service, bodyOf(text));
    expect(body.status).to.equal(200);
    const policy = body.headers.get('content-security-policy') ?? '';
    expect(policy.split('; '))
      .to.include.members(["default-src 'none'", "frame-ancestors 'self'", "form-action 'none'", `sandbox ${rights}`])
      .and.not.match(/script-src|https?:/);
    expect(body.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(body.headers.get('cache-control')).to.equal('no-store');
    // Links open a new window, because the frame must not navigate.
    expect(body.text).to.include('<head><base target="_blank"><title>');
  });

  it('does not change the type of a document without a head', async () => {
    const bodyHtmlFilePath = join(directory, 'body.html');
    await writeFile(bodyHtmlFilePath, '<p>CODEGEN-URL</p>');
    const service = await start({ messageOptions: { bodyHtmlFilePath } });
    await mail(service, 'jane@example.com');
    const body = await look(service, bodyOf((await look(service)).text));
    expect(body.text).to.match(/^<base target="_blank"><p>http/);
  });

  it('escapes the texts of mails', async () => {
    const bodyTextFilePath = join(directory, 'text.txt');
    await writeFile(bodyTextFilePath, '<i>1 < 2</i> & CODEGEN-URL');
    const service = await start({ messageOptions: { subject: '<b>Grüße</b> & "mehr"', bodyTextFilePath } });
    await mail(service, "o'hara&co@example.com");
    const { text } = await look(service);
    expect(text).not.to.match(/<b>|<i>/);
    expect(text)
      .to.include('&lt;b&gt;Grüße&lt;/b&gt; &amp; &quot;mehr&quot;')
      .and.include('&lt;i&gt;1 &lt; 2&lt;/i&gt; &amp; <a');
    expect(text).to.include('<dd>o&#39;hara&amp;co@example.com</dd>');
  });

  it('says when there are no mails, and when the folder cannot be read', async () => {
    const nowhere = await look(await start({ directory: join(directory, 'none') }));
    expect(nowhere.status).to.equal(200);
    expect(nowhere.text).to.include('No mails yet');
    await writeFile(join(directory, 'file'), '');
    const unreadable = await look(await start({ directory: join(directory, 'file') }));
    expect(unreadable.status).to.equal(503);
    expect(unreadable.text).to.include('cannot be read (ENOTDIR)');
  });

  it('answers 404 for an unknown mail, and for a path outside the folder', async () => {
    const service = await start();
    await mail(service, 'jane@example.com');
    const [name = ''] = (await readdir(directory)).filter((file) => file.endsWith('.eml'));
    await writeFile(join(directory, '..', `${name}-outside.eml`), 'To: a@example.com\r\n\r\nsecret');
    try {
      for (const path of ['none', `..%2f${name}-outside`, '%00', '%', '..%5c..%5c', `${name}`, 'none/body', 'a/b/c']) {
        const { status, text } = await look(service, `/outbox/${path}`);
        expect(status, path).to.equal(404);
        expect(text).not.to.include('secret');
      }
      expect((await look(service, '/outbox/none')).text).to.include('This mail is no longer in the folder');
    } finally {
      await rm(join(directory, '..', `${name}-outside.eml`));
    }
  });

  it('answers 404 with any other mailer', async () => {
    const smtp = { type: 'smtp', host: '127.0.0.1', port: 1, fromAddress: 'a@example.com' };
    // Mails that a test keeps in memory have no folder.
    for (const options of [{ email: { type: 'none' } }, { email: smtp }, {}]) {
      const { status, headers } = await look(await startWith(options));
      expect(status).to.equal(404);
      expect(headers.get('content-type')).to.equal('application/problem+json');
    }
  });
});

import { expect } from 'chai';
import { newAddress } from './client.ts';
import type { Harness, TestService } from './harness.ts';

const closed = /^default-src 'none'; .*base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/;

const expectPage = ({ headers }: { readonly headers: Headers }): void => {
  expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).to.match(closed).and.not.include('script-src');
  expect(headers.get('x-content-type-options')).to.equal('nosniff');
  expect(headers.get('cache-control')).to.equal('no-store');
  expect(headers.get('referrer-policy')).to.equal('no-referrer');
};

const success = (harness: Harness): void => {
  describe('GET /verify/success', () => {
    it('200 without credentials: an HTML page that confirms the verification', async () => {
      const { client } = await harness.service();
      const response = await client.get('/verify/success', { authorization: null });
      expect(response.status).to.equal(200);
      expect(response.text)
        .to.match(/^<!doctype html>/)
        .and.include('Your account has been verified');
      expectPage(response);
    });

    for (const option of ['successHtmlFilePath', 'successHtml']) {
      it(`shows the page of messageOptions.${option}, and runs no scripts`, async () => {
        const html = `<p>Willkommen: ${option}</p><script>alert(1)</script>`;
        const messageOptions = { [option]: await harness.file(`${option}.html`, html) };
        const email = { type: 'outbox', directory: await harness.file('unused-too', ''), messageOptions };
        const { client } = await harness.service({ email });
        const response = await client.get('/verify/success');
        expect(response.text).to.equal(html);
        expectPage(response);
      });
    }
  });
};

const product = (harness: Harness): void => {
  describe('the link to the product', () => {
    const serviceOf = async (options: Readonly<Record<string, unknown>>) =>
      harness.service({ email: { type: 'outbox', directory: await harness.file('unused-product', ''), ...options } });

    it('is on the last page, with the name of the product', async () => {
      const { client } = await serviceOf({ productName: 'Tea Shop', productUrl: 'https://tea.example/start?a=1' });
      const link = '<a href="https://tea.example/start?a=1">Continue to Tea Shop</a>';
      for (const path of ['/verify/success', '/verify?email=jane@example.com&token=x&response_type=html'])
        expect((await client.get(path, { authorization: null })).text, path).to.include(link);
      const unknown = await client.get('/nothing', { authorization: null, headers: { Accept: 'text/html' } });
      expect(unknown.text).to.include(link).and.include('There is no page at this address.');
      const refused = await client.get('/nothing', { authorization: null });
      expect(refused.text).to.include('The service has no resource at this path.');
    });

    it('has the host of a product without a name, and the texts of the configuration', async () => {
      const { client } = await serviceOf({
        fromAddress: 'a@example.com',
        productUrl: 'https://tea.example',
        locales: ['de'],
        pages: { locales: { en: { continueTo: 'On to CODEGEN-PRODUCT' } } },
      });
      const labelIn = async (locale: string) => {
        const { text } = await client.get(`/verify/success?locale=${locale}`, { authorization: null });
        return />([^<]+)<\/a>/.exec(text)?.[1];
      };
      expect(await labelIn('de')).to.equal('Weiter zu tea.example');
      expect(await labelIn('en')).to.equal('On to tea.example');
    });

    it('is absent without email.productUrl', async () => {
      const { client } = await harness.service();
      expect((await client.get('/verify/success')).text).to.not.include('<a ');
    });
  });
};

const failures = (harness: Harness): void => {
  const follow = ({ client }: TestService, email: string, token: string) =>
    client.get('/verify', { query: { email, token, response_type: 'html' }, authorization: null });

  describe('an invalid link', () => {
    it('400 with a page: the token does not match', async () => {
      const service = await harness.service();
      const { address } = await service.client.create();
      const response = await follow(service, address, 'of-another-mail');
      expect(response.status).to.equal(400);
      expect(response.text).to.include('This link no longer works');
      expectPage(response);
    });

    it('400 with a page: the link is incomplete', async () => {
      const service = await harness.service();
      for (const [email, token] of [
        ['', ''],
        ['jane', 'a'],
        [newAddress(), ''],
      ] as const) {
        const response = await follow(service, email, token);
        expect(response.status).to.equal(400);
        expectPage(response);
      }
    });

    it('404 with a page: no user has the address', async () => {
      const response = await follow(await harness.service(), newAddress(), 'a');
      expect(response.status).to.equal(404);
      expect(response.text).to.include('We could not find this account');
      expectPage(response);
    });

    it('contains neither the address nor the token', async () => {
      const response = await follow(await harness.service(), '<b>jane</b>@example.com', '<i>token</i>');
      expect(response.text).to.not.match(/jane|<i>/);
    });
  });
};

/** The pages for links in mails (docs/api.md, `GET /verify`). */
export const pages = (harness: Harness): void => {
  success(harness);
  product(harness);
  failures(harness);
};

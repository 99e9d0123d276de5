import { expect } from 'chai';
import type { Account, Client } from './client.ts';
import type { Harness } from './harness.ts';

const german = { title: 'Bestätigen Sie Ihre E-Mail-Adresse', subject: 'Bestätigen Sie Ihre E-Mail-Adresse' };

const page = (name: string) => ({ title: `${name} title`, sentence: `${name} CODEGEN-ADDRESS` });

/** Pages in Arabic; the tests need no real words. */
const arabicPages = {
  ...Object.fromEntries(
    ['done', 'invalid', 'expired', 'unknown', 'unavailable', 'failed'].map((name) => [name, page(name)]),
  ),
  ask: { ...page('ask'), hint: 'a hint', button: 'a button' },
};

const multilingual = async (harness: Harness, options: object) => {
  const directory = `${await harness.file('languages', '')}-mails`;
  const email = { type: 'outbox', directory, fromAddress: 'sender@example.com', ...options };
  const { client } = await harness.service({ email });
  const mailTo = async ({ address }: Account) => {
    const mails = await harness.mailsIn(directory);
    return mails.find(({ to }) => to === address);
  };
  return { client, mailTo };
};

const request = (client: Client, { address, password }: Account, language: string) =>
  client.post('/verify', { query: { email: address }, password, headers: { 'Accept-Language': language } });

const openLink = (client: Client, { address }: Account, token: string, language: string) =>
  client.get('/verify', {
    query: { email: address, token, response_type: 'html' },
    authorization: null,
    headers: { 'Accept-Language': language },
  });

/** The languages of mails and pages. */
export const languages = (harness: Harness): void => {
  describe('languages', () => {
    it('are ignored unless they are configured', async () => {
      const { client, mailTo } = await multilingual(harness, { confirmPage: true });
      const account = await client.create({ properties: { locale: 'de' } });
      expect((await request(client, account, 'de')).status).to.equal(200);
      expect((await mailTo(account))?.subject).to.equal('Account Verification');
      expect((await openLink(client, account, 'wrong', 'de')).text).to.include('This link no longer works');
      expect((await client.get('/openapi.json')).text).to.not.include('Accept-Language');
    });

    it('of a mail: the property of the user, else Accept-Language, else the default', async () => {
      const { client, mailTo } = await multilingual(harness, { locales: ['de'], localeProperty: 'locale' });
      const cases: readonly (readonly [object, string, string])[] = [
        [{ locale: 'de-AT' }, 'en', german.subject],
        [{ locale: 'en' }, 'de', 'Account Verification'],
        [{ locale: 7 }, 'fr, de-CH;q=0.8, en;q=0.5', german.subject],
        [{}, 'fr, en;q=0.1, de;q=0', 'Account Verification'],
        [{}, '\u00ff, ;;;, *', 'Account Verification'],
      ];
      for (const [properties, language, subject] of cases) {
        const account = await client.create({ properties });
        expect((await request(client, account, language)).status).to.equal(200);
        expect((await mailTo(account))?.subject, language).to.equal(subject);
      }
      expect((await client.get('/openapi.json')).text).to.include('Accept-Language');
    });

    it('of the pages: that of the browser', async () => {
      const { client } = await multilingual(harness, { locales: ['de'], confirmPage: true });
      const account = await client.create({ properties: { locale: 'en' } });
      const token = await client.token(account);
      const confirm = await openLink(client, account, token, 'de-DE,de;q=0.9,en;q=0.8');
      expect(confirm.text).to.include('<html lang="de">').and.include(german.title).and.include(account.address);
      expect((await openLink(client, account, 'wrong', 'de')).text).to.include('Dieser Link funktioniert nicht mehr');
      const pressed = await client.post('/verify/confirm', {
        query: { email: account.address, token: 'wrong' },
        authorization: null,
        headers: { 'Accept-Language': 'de' },
      });
      expect(pressed.status).to.equal(400);
      expect(pressed.text).to.include('Dieser Link funktioniert nicht mehr');
      const success = (language: string) =>
        client.get('/verify/success', { authorization: null, headers: { 'Accept-Language': language } });
      expect((await success('de')).text).to.include('Ihr Konto ist bestätigt');
      expect((await success('fr')).text).to.include('Your account has been verified');
    });

    it('of the pages of a mail: that of the mail, whatever the browser prefers', async () => {
      const { client, mailTo } = await multilingual(harness, {
        locales: ['de', 'fr'],
        confirmPage: true,
        localeProperty: 'locale',
      });
      const account = await client.create({ properties: { locale: 'de' } });
      expect((await request(client, account, 'en')).status).to.equal(200);
      const { text = '' } = (await mailTo(account)) ?? {};
      const [link = ''] = /https?:\/\/\S+/.exec(text) ?? [];
      expect(link).to.match(/&response_type=html&locale=de$/);
      const english = { authorization: null, headers: { 'Accept-Language': 'en' } };
      const { pathname, search } = new URL(link);
      const asked = await client.get(`${pathname}${search}`, english);
      expect(asked.text).to.include('<html lang="de">').and.include(german.title);
      const [, action = ''] = /action="([^"]+)"/.exec(asked.text) ?? [];
      const form = `/${action.replaceAll('&amp;', '&')}`;
      const wrong = await client.post(form.replace(/token=[^&]+/, 'token=wrong'), english);
      expect(wrong.text).to.include('Dieser Link funktioniert nicht mehr');
      const pressed = await client.post(form, english);
      expect([pressed.status, pressed.headers.get('location')]).to.deep.equal([303, '/verify/success?locale=de']);
      expect((await client.get('/verify/success?locale=de', english)).text).to.include('Ihr Konto ist bestätigt');
      // A language without pages of its own, and one that is not configured.
      for (const locale of ['fr', 'constructor', 'de&locale=en'])
        expect((await client.get(`/verify/success?locale=${locale}`, english)).text).to.include('has been verified');
    });

    it('are written from right to left, with the texts of the configuration', async () => {
      const text = await harness.file('ar.txt', 'نص CODEGEN-URL');
      const html = await harness.file('ar.html', '<html lang="ar" dir="rtl"><a href="CODEGEN-URL">رابط</a></html>');
      const { client, mailTo } = await multilingual(harness, {
        confirmPage: true,
        messages: {
          verification: { locales: { ar: { subject: 'تأكيد', bodyTextFilePath: text, bodyHtmlFilePath: html } } },
        },
        pages: { locales: { ar: { verification: arabicPages } } },
      });
      const account = await client.create();
      expect((await request(client, account, 'ar-EG')).status).to.equal(200);
      const mail = await mailTo(account);
      expect(mail?.subject).to.equal('تأكيد');
      expect(mail?.html).to.include('dir="rtl"').and.include('response_type=html&amp;locale=ar"');
      const token = (await client.read(account)).user.email.verificationToken ?? '';
      const { text: shown, headers } = await openLink(client, account, token, 'ar');
      expect(shown).to.include('<html lang="ar" dir="rtl">').and.include('<button>a button</button>');
      expect(shown).to.include(`ask \u2068<span class="address">${account.address}</span>\u2069`);
      expect(headers.get('content-security-policy')).to.match(/style-src 'sha256-[^']+';.*form-action 'self'/);
    });
  });
};

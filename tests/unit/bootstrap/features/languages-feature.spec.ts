import { expect } from 'chai';
import { asProperties } from '../../../../adapters/kit/user-json/user-writer.ts';
import type { MailKind } from '../../../../application/outgoing/mail-queue.ts';
import { lifetimesOf, openMails } from '../../../../bootstrap/features/languages-feature.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { configured, type Files, withMails } from '../configuration/read-configuration.ts';

const jane = addressOf('jane@example.com');
const link = 'https://example.com/x?a=1&b=2';

const open = async (options: string, files: Files = {}) => {
  const configuration = await configured(withMails(options), files);
  const { email } = configuration;
  if (email === undefined) throw new Error('mails are configured');
  const { texts, localeOf } = await openMails(email, lifetimesOf(configuration));
  const user = (properties: string) => ({
    email: { address: jane, verification: { verified: false, token: null } },
    password: 'x',
    creationTime: 0,
    lastUpdateTime: 0,
    properties: asProperties(properties),
  });
  return {
    compose: (locale: string, kind: MailKind = 'verification', secret = link) =>
      texts.compose({ kind, to: jane, locale, secret, expires: null }),
    localeOf: (properties: string, requested: readonly string[]) => localeOf(user(properties), requested),
  };
};

describe('the texts of mails', () => {
  it('are English by default, whatever the user and the request prefer', async () => {
    const { compose, localeOf } = await open('');
    expect(localeOf('{"locale":"de"}', ['de'])).to.equal('en');
    expect(compose('en').subject).to.equal('Account Verification');
  });

  it('are built in for English and German, also for a regional variant', async () => {
    const { compose, localeOf } = await open(', locales: [de-AT], localeProperty: locale');
    expect(localeOf('{"locale":"de-AT"}', [])).to.equal('de-AT');
    expect(localeOf('{}', ['de-AT'])).to.equal('de-AT');
    expect(localeOf('{}', ['fr'])).to.equal('en');
    expect(compose('de-AT').subject).to.equal('Bestätigen Sie Ihre E-Mail-Adresse');
    expect(compose('de-AT', 'recovery', '123456').text).to.include('\n123456\n');
  });

  it('name the product: that of the options, else the display name of the sender, else none', async () => {
    const textWith = async (options: string) => (await open(options)).compose('en').text;
    expect(await textWith(', productName: Tea Shop, fromAddress: Example <a@example.com>')).to.include(
      'An account at Tea Shop was created',
    );
    expect(await textWith(', fromAddress: "Tea & Co. <a@example.com>"')).to.include('An account at Tea & Co. was');
    expect(await textWith(', fromAddress: a@example.com')).to.include('An account was created');
  });

  it('show an embedded logo instead of the name, also in own texts that refer to it', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const own = 'messages: {recovery: {locales: {fr: {subject: S, bodyTextFilePath: "@/t", bodyHtmlFilePath: "@/h"}}}}';
    const { compose } = await open(`, productName: Tea & Co., logo: "@/logo", ${own}`, {
      logo: png,
      t: 'CODEGEN-URL',
      h: '<img src="cid:logo">',
    });
    const mail = compose('en');
    expect(mail.html).to.include('<img src="cid:logo" alt="Tea &amp; Co."');
    expect(mail.images?.map(({ contentId, type }) => [contentId, type])).to.deep.equal([['logo', 'image/png']]);
    expect(compose('fr', 'recovery').images).to.have.length(1);
    expect((await open(', productName: Tea')).compose('en').images).to.equal(undefined);
  });

  it('tell of a new password with a button to the configured page, or without one', async () => {
    const { email } = await configured(withMails(', locales: [de]'));
    if (email === undefined) throw new Error('mails are configured');
    const lifetimes = lifetimesOf(await configured(withMails()));
    const htmlWith = async (kind: MailKind, page?: string): Promise<string> => {
      const { texts } = await openMails(email, lifetimes, page);
      return texts.compose({ kind, to: jane, locale: 'de', secret: '', expires: null }).html;
    };
    const page = 'https://example.com/forgotten';
    expect(await htmlWith('passwordNotice', page)).to.include(`<a href="${page}?locale=de"`);
    expect(await htmlWith('passwordNotice'))
      .to.include('wählen Sie sofort')
      .and.not.include('href=');
    expect(await htmlWith('addressNotice', page)).to.not.include('href=');
  });

  it('take the verification mail of the default language from messageOptions', async () => {
    const options = ', messageOptions: {bodyTextFilePath: "@/own.txt", urlPlaceholderString: HERE}, locales: [de]';
    const { compose } = await open(options, { 'own.txt': 'Open HERE' });
    // With several languages, the page of the link is in that of the mail.
    const english = `${link}&locale=en`;
    expect(compose('en')).to.include({ subject: 'Account Verification', text: `Open ${english}` });
    expect(compose('en').html).to.include(`href="${english.replaceAll('&', '&amp;')}"`);
    expect(compose('en', 'recovery').text).to.include(`\n${english}\n`);
    expect(compose('de').text).to.include(`\n${link}&locale=de\n`);
  });

  it('have a German subject if German is the default language and no other subject is given', async () => {
    expect((await open(', defaultLocale: de')).compose('de').subject).to.equal('Bestätigen Sie Ihre E-Mail-Adresse');
    const given = await open(', defaultLocale: de, messageOptions: {subject: Hallo}');
    expect(given.compose('de').subject).to.equal('Hallo');
  });

  it('are those of a configured language, and of the default language for mails without a text', async () => {
    const body = '{subject: مرحبا, bodyTextFilePath: "@/ar.txt", bodyHtmlFilePath: "@/ar.html"}';
    const options = `, defaultLocale: de, messages: {recovery: {locales: {ar: ${body}}}}`;
    const { compose, localeOf } = await open(options, { 'ar.txt': 'ar CODEGEN-URL', 'ar.html': '<p>CODEGEN-URL' });
    expect(localeOf('{}', ['ar-EG'])).to.equal('ar');
    expect(compose('ar', 'recovery')).to.include({ subject: 'مرحبا', text: `ar ${link}&locale=ar` });
    expect(compose('ar', 'recovery', '123456').text).to.equal('ar 123456');
    expect(compose('ar', 'change').subject).to.equal('Bestätigen Sie Ihre neue E-Mail-Adresse');
  });

  for (const [lifetime, english, german, french] of [
    ['24h', '24 hours', '24 Stunden', '24 heures'],
    ['1h', '1 hour', '1 Stunde', '1 heure'],
    ['2d', '2 days', '2 Tage', '2 jours'],
    ['90m', '90 minutes', '90 Minuten', '90 minutes'],
    ['45s', '45 seconds', '45 Sekunden', '45 secondes'],
  ] as const)
    it(`say how long a link works in the words of each language: ${lifetime}`, async () => {
      const own =
        'messages: {verification: {locales: {fr: {subject: S, bodyTextFilePath: "@/t", bodyHtmlFilePath: "@/t"}}}}';
      const { compose } = await open(`, tokenLifetime: ${lifetime}, locales: [de], ${own}`, {
        t: 'CODEGEN-URL pendant CODEGEN-LIFETIME',
      });
      for (const kind of ['verification', 'change', 'changeNotice'] as const) {
        expect(compose('en', kind).text).to.include(`The link works for ${english}. `);
        expect(compose('de', kind).html).to.include(`Der Link funktioniert ${german} lang. `);
      }
      // French separates the number with a space that does not break.
      expect(compose('fr').text.replaceAll('\u00a0', ' ')).to.match(new RegExp(` pendant ${french}$`));
    });

  it('say how long a new address waits, and nothing about a link that verifies for ever', async () => {
    const { compose } = await open('');
    expect(compose('en').text).to.not.include('The link works');
    expect(compose('en', 'change').text).to.include('The link works for 24 hours. ');
  });
});

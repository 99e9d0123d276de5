import { expect } from 'chai';
import * as fc from 'fast-check';
import { mapWithIndex } from 'fp-ts/lib/Record.js';
import { verificationLink } from '../../../../adapters/http/paths.ts';
import { wordsFor } from '../../../../adapters/languages/english-mails.ts';
import type { MailKind, MailRequest } from '../../../../application/outgoing/mail-queue.ts';
import {
  type LanguageTemplates,
  type MailTemplate,
  MailTemplates,
} from '../../../../application/outgoing/mail-templates.ts';
import { addresses, addressOf, texts } from '../../../../sdk/contract/arbitraries.ts';

const jane = addressOf('jane@example.com');
const link = 'https://accounts.example.com/verify?email=jane%40example.com&token=t-1&response_type=html';
const template = {
  subject: 'Account Verification',
  text: 'CODEGEN-URL',
  html: 'CODEGEN-URL',
  placeholder: 'CODEGEN-URL',
  lifetime: null,
};

/** The templates of a language in which every mail is the same. */
const templatesOf = (every: MailTemplate) => mapWithIndex((_: keyof LanguageTemplates) => every)(wordsFor(null, null));

const compose = (
  english: ReturnType<typeof templatesOf>,
  request: Pick<MailRequest, 'kind' | 'to' | 'secret'> & Partial<MailRequest>,
) => new MailTemplates(new Map([['en', english]]), english).compose({ locale: 'en', expires: null, ...request });

const mail = (
  changes: Partial<typeof template>,
  address = jane,
  token = 't-1',
  base = 'https://accounts.example.com',
) =>
  compose(templatesOf({ ...template, ...changes }), {
    kind: 'verification',
    to: address,
    secret: verificationLink(base, address, token),
  });

describe('the templates of mails', () => {
  it('is sent to the address with the configured subject', () => {
    expect(mail({ subject: 'CODEGEN-URL $&' })).to.include({ to: jane, subject: 'CODEGEN-URL $&' });
  });

  it('replaces every placeholder in both bodies with the link', () => {
    const { text, html } = mail({ text: 'a CODEGEN-URL b CODEGEN-URL', html: '<a href="CODEGEN-URL">CODEGEN-URL</a>' });
    expect(text).to.equal(`a ${link} b ${link}`);
    const escaped = link.replaceAll('&', '&amp;');
    expect(html).to.equal(`<a href="${escaped}">${escaped}</a>`);
  });

  it('keeps bodies without a placeholder', () => {
    expect(mail({ text: 'no link', html: '<p>&nbsp;</p>' })).to.include({ text: 'no link', html: '<p>&nbsp;</p>' });
  });

  for (const placeholder of ['$&', '$1', '.*', '[URL]', '${URL}', '\\', '{{url}}', 'é🔑']) {
    it(`treats the placeholder ${placeholder} literally`, () => {
      const body = `Open ${placeholder}, xURLx or ${placeholder}.`;
      expect(mail({ text: body, placeholder }).text).to.equal(`Open ${link}, xURLx or ${link}.`);
    });
  }

  it('inserts replacement patterns of the address literally', () => {
    const { text, html } = mail({}, addressOf("$&$'$`$$@example.com"), '$1');
    expect(text).to.contain("email=%24%26%24'%24%60%24%24%40example.com&token=%241&");
    expect(html).to.contain('email=%24%26%24&#39;%24%60%24%24%40example.com&amp;token=%241&amp;');
  });

  it('inserts replacement patterns of the base URL literally', () => {
    expect(mail({}, jane, 't-1', "https://example.com/$&$'$`$$").text).to.match(
      /^https:\/\/example\.com\/\$&\$'\$`\$\$\/verify\?/,
    );
  });

  it('keeps the path of the base URL', () => {
    expect(mail({}, jane, 't-1', 'https://example.com/accounts').text).to.match(
      /^https:\/\/example\.com\/accounts\/verify\?/,
    );
  });

  it('has a link that decodes to exactly the address and the token', () =>
    fc.assert(
      fc.property(addresses, texts, (address, token) => {
        const { text, html } = mail({}, address, token);
        const read = new URL(text);
        expect(Object.fromEntries(read.searchParams)).to.deep.equal({ email: address, token, response_type: 'html' });
        expect(read.pathname).to.equal('/verify');
        expect(html).to.not.match(/[<>"']|&(?!amp;|#39;)/);
      }),
    ));

  it('has templates of their own for codes, of no other kind of mail', () => {
    const templates = {
      ...templatesOf(template),
      verificationCode: { ...template, subject: 'Your code for the address' },
      recoveryCode: { ...template, subject: 'Your code' },
    };
    const subjectOf = (kind: MailKind, secret: string) => {
      const { subject, text } = compose(templates, { kind, to: jane, secret });
      expect(text).to.equal(secret);
      return subject;
    };
    expect(subjectOf('recovery', '004711')).to.equal('Your code');
    expect(subjectOf('verification', '004711')).to.equal('Your code for the address');
    for (const kind of ['recovery', 'verification'] as const)
      expect(subjectOf(kind, link)).to.equal('Account Verification');
    expect(subjectOf('change', '004711')).to.equal('Account Verification');
  });

  it('names the link of the mail, with the language of its pages, and none for a code', () => {
    const addLanguage = (given: string, locale: string) => `${given}&lang=${locale}`;
    const templates = new MailTemplates(new Map(), templatesOf({ ...template, text: 'x', html: 'x' }), [], addLanguage);
    const linkIn = (secret: string) =>
      templates.compose({ kind: 'recovery', to: jane, secret, expires: null, locale: 'de' }).link;
    expect(linkIn(link)).to.equal(`${link}&lang=de`);
    expect(linkIn('004711')).to.equal(undefined);
  });

  it('leads notices to the page on which people ask for a new password, in their language, or nowhere', () => {
    const templates = templatesOf({ ...template, text: 'a CODEGEN-URL b' });
    const composed = (page?: string) =>
      new MailTemplates(new Map(), templates, [], (url, tag) => `${url}?locale=${tag}`, page).compose({
        kind: 'passwordNotice',
        to: jane,
        secret: '',
        expires: null,
        locale: 'de',
      });
    const page = 'https://example.com/forgotten';
    expect(composed(page)).to.include({ text: `a ${page}?locale=de b`, link: `${page}?locale=de` });
    expect(composed()).to.include({ text: 'a  b' }).and.not.have.property('link');
  });

  it('inserts the address that a mail is about, escaped in HTML, and no placeholder that an address contains', () => {
    const body = 'CODEGEN-ADDRESS CODEGEN-URL CODEGEN-ADDRESS';
    const secret = 'https://example.com/?email=CODEGEN-ADDRESS';
    const about = addressOf('o&CODEGEN-URL@example.com');
    const templates = templatesOf({ ...template, text: body, html: body });
    const { text, html } = compose(templates, { kind: 'changeNotice', to: jane, secret, about });
    expect(text).to.equal(`${about} ${secret} ${about}`);
    expect(html).to.equal(text.replaceAll('&', '&amp;'));
  });

  it('inserts how long the link works, unless it works for ever', () => {
    const body = 'CODEGEN-URL works for CODEGEN-LIFETIME';
    const textWith = (lifetime: MailTemplate['lifetime']) =>
      compose(templatesOf({ ...template, text: body, html: body, lifetime }), {
        kind: 'change',
        to: jane,
        secret: link,
      }).text;
    expect(textWith(() => '2 hours')).to.equal(`${link} works for 2 hours`);
    expect(textWith(null)).to.equal(`${link} works for CODEGEN-LIFETIME`);
  });

  it('is in the language of the request, or in the default one if that is not configured any more', () => {
    const english = templatesOf(template);
    const german = templatesOf({ ...template, subject: 'Hallo' });
    const templates = new MailTemplates(new Map([['de', german]]), english);
    const subjectIn = (locale: string) =>
      templates.compose({ kind: 'verification', to: jane, secret: link, expires: null, locale }).subject;
    expect(subjectIn('de')).to.equal('Hallo');
    expect(subjectIn('fr')).to.equal('Account Verification');
  });

  it('adds the language to links, and not to codes', () => {
    const templates = templatesOf(template);
    const added = new MailTemplates(new Map([['de', templates]]), templates, [], (url, tag) => `${url}#${tag}`);
    const textOf = (secret: string): string =>
      added.compose({ kind: 'recovery', to: jane, secret, expires: null, locale: 'de' }).text;
    expect(textOf(link)).to.include(`${link}#de`);
    expect(textOf('123456')).to.include('123456').and.not.include('#de');
  });
});

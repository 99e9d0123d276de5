import { expect } from 'chai';
import { configured, problemsOf, warningsOf, withMails } from './read-configuration.ts';

const files = { 'ar.txt': 'CODEGEN-URL مرحبا', 'ar.html': '<p dir="rtl">CODEGEN-URL', 'no-link.txt': 'Hello' };
const arabic = '{subject: مرحبا, bodyTextFilePath: "@/ar.txt", bodyHtmlFilePath: "@/ar.html"}';

describe('the languages of mails', () => {
  it('are English only by default', async () => {
    const { email } = await configured(withMails());
    expect(email?.languages)
      .to.include({ defaultTag: 'en', property: null })
      .and.deep.include({ tags: ['en'] });
  });

  it('are the default one, the listed ones and those with texts, in canonical form', async () => {
    const options = `, defaultLocale: DE, locales: [EN-gb], localeProperty: locale, messages: {change: {locales: {AR: ${arabic}}}}`;
    const { email } = await configured(withMails(options), files);
    expect(email?.languages).to.deep.include({ defaultTag: 'de', tags: ['de', 'en-GB', 'ar'], property: 'locale' });
    const { change, ...others } = email?.languages.messages ?? {};
    expect(change).to.deep.equal({
      ar: {
        subject: 'مرحبا',
        bodyTextFilePath: files['ar.txt'],
        bodyHtmlFilePath: files['ar.html'],
        urlPlaceholderString: 'CODEGEN-URL',
      },
    });
    expect(others).to.include.keys('verification', 'recovery');
    for (const texts of Object.values(others)) expect(texts).to.deep.equal({});
  });

  it('are refused with every problem and its path', async () => {
    const options = `, defaultLocale: german, locales: [d], localeProperty: password, messages: {recovery: {locales: {ar: {}, "AR": ${arabic}, "x y": ${arabic}}}, recover: {}}`;
    expect((await problemsOf(withMails(options), files)).map((problem) => problem.slice(0, 100))).to.eql([
      'email.locales[0]: expected a language tag such as de or pt-BR',
      'email.localeProperty: is a field of every user, not a custom property',
      'email.messages.recovery.locales.ar.subject: is required: text (in quotes if it looks like a number)',
      'email.messages.recovery.locales.ar.bodyTextFilePath: is required: the path of a UTF-8 file',
      'email.messages.recovery.locales.ar.bodyHtmlFilePath: is required: the path of a UTF-8 file',
      'email.messages.recovery.locales.x y: expected a language tag such as de or pt-BR',
      'email.messages.recover: unknown key; did you mean recovery?',
    ]);
    const twice = `, messages: {recovery: {locales: {ar: ${arabic}, AR: ${arabic}}}}`;
    expect(await problemsOf(withMails(twice), files)).to.eql(['email.messages.recovery.locales.AR: is given twice']);
  });

  it('have all pages of a link, or none', async () => {
    const pages = ', pages: {locales: {ar: {verification: {ask: {title: a, sentence: b}, done: {}}}}}';
    expect((await problemsOf(withMails(pages))).map((problem) => problem.split(': is required')[0])).to.eql(
      ['ask.button', 'done.title', 'done.sentence', 'invalid', 'expired', 'unknown', 'unavailable', 'failed'].map(
        (path) => `email.pages.locales.ar.verification.${path}`,
      ),
    );
  });

  it('have one verification mail in the default language', async () => {
    const message = `, messageOptions: {subject: Hi}, messages: {verification: {locales: {en: ${arabic}}}}`;
    expect(await problemsOf(withMails(message), files)).to.eql([
      'email.messages.verification.locales.en: is the mail of messageOptions, which is in the default language; keep one of them',
    ]);
  });

  it('need a property that users may have', async () => {
    const rules = (name: string) => `\nproperties: {allowSuperset: false, allowed: [{name: ${name}, type: string}]}`;
    const file = withMails(', localeProperty: locale');
    expect(await problemsOf(`${file}${rules('plan')}`)).to.eql([
      'email.localeProperty: is not in properties.allowed, so that no user has it',
    ]);
    expect((await configured(`${file}${rules('locale')}`)).email?.languages.property).to.equal('locale');
  });

  it('warn of a language without texts', async () => {
    const about = async (options: string) =>
      (await warningsOf(withMails(options), files)).filter((line) => /^email\.(messages|pages)/.test(line));
    expect(await about(', locales: [de-AT], defaultLocale: fr')).to.eql([
      'email.messages.verification.locales.fr is absent: these mails are in English',
      'email.pages.locales.fr.verification is absent: these pages are in another language',
    ]);
    expect(await about(`, messages: {verification: {locales: {ar: ${arabic}}}}`)).to.eql([
      'email.pages.locales.ar.verification is absent: these pages are in another language',
    ]);
  });

  it('warn of a body without a link', async () => {
    const body = '{subject: Hi, bodyTextFilePath: "@/no-link.txt", bodyHtmlFilePath: "@/ar.html"}';
    const warnings = await warningsOf(withMails(`, messages: {recovery: {locales: {ar: ${body}}}}`), files);
    expect(warnings.filter((line) => line.includes('has no link'))).to.eql([
      'email.messages.recovery.locales.ar.bodyTextFilePath: the file does not contain urlPlaceholderString, so the mail has no link',
    ]);
  });
});

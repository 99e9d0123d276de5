import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as english from '../../../../adapters/languages/english-mails.ts';
import * as german from '../../../../adapters/languages/german-mails.ts';
import { defaultPlaceholder, defaultSubject, mailTemplate } from '../../../../adapters/languages/mail-layout.ts';
import { isNotice, mailKinds } from '../../../../application/outgoing/mail-queue.ts';

const codes = ['verificationCode', 'recoveryCode'] as const;
const kinds = [...mailKinds, ...codes];

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

describe('the built-in mails', () => {
  it('have the placeholder and the subject of docs/configuration.md in English', () => {
    expect(defaultPlaceholder).to.equal('CODEGEN-URL');
    expect(english.wordsFor(null, null).verification.subject)
      .to.equal('Account Verification')
      .and.to.equal(defaultSubject);
  });

  it('keep the English verification mail byte for byte where the product has no name and links no end', () => {
    const { text, html } = mailTemplate('verification', english, undefined, null);
    expect([digest(text), digest(html)]).to.deep.equal(['87eb274b2d6aa4e9', '5477ec894d4b717d']);
  });

  for (const language of [english, german]) {
    const { frame } = language;
    const words = language.wordsFor(null, 'CODEGEN-LIFETIME');
    for (const kind of kinds) {
      describe(`${kind} in ${frame.tag}`, () => {
        const { subject, text, html } = mailTemplate(
          kind,
          language,
          { name: 'Fish & <Chips>', hasLogo: false },
          () => '2 hours',
          '{{ secret }}',
        );

        const isPlain = isNotice(kind) && words[kind].button === null;

        it('shows the link or code once in the text, and in the HTML wherever a client needs it', () => {
          if (isPlain) {
            for (const body of [text, html]) expect(body).to.not.match(/\{\{|href=/);
            return;
          }
          expect(text.split('\n').filter((line) => line === '{{ secret }}')).to.have.length(1);
          const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
          // The button, the button for Outlook, and the plain link.
          const links = codes.some((code) => code === kind) ? [] : ['{{ secret }}', '{{ secret }}', '{{ secret }}'];
          expect(targets).to.deep.equal(links);
          expect(html).to.match(/>\{\{ secret \}\}<\//);
        });

        it('names its language, has a subject of one line, and tells recipients who did not request it what to do', () => {
          expect(html).to.include(`<html lang="${frame.tag}" dir="ltr">`);
          expect(subject).to.match(/^[^\r\n]{5,60}$/);
          expect(text).to.include(words[kind].note);
          // Whoever is invited has requested nothing.
          const usual = [/nicht waren|kein Konto erwarten/, /was not you|do not expect/];
          const advice = isNotice(kind) ? [/wenden Sie sich/, /contact us/] : usual;
          expect(text).to.match(advice[frame.tag === 'de' ? 0 : 1] ?? /^$/);
        });

        it('says how long the link or code works, if that has an end', () => {
          const parts = kind === 'accountExists' || isNotice(kind) ? 1 : 2;
          for (const body of [text, html]) expect(body.split('CODEGEN-LIFETIME')).to.have.length(parts);
          const endless = mailTemplate(kind, language, undefined, null);
          for (const body of [endless.text, endless.html]) expect(body).to.not.include('CODEGEN-LIFETIME');
        });

        const hasAddress =
          ['recovery', 'recoveryCode', 'invitation', 'changeNotice', 'accountExists'].includes(kind) || isNotice(kind);

        it('shows the new address where the recipient may cancel the change, and that of the account before a new password', () => {
          const count = hasAddress ? 2 : 1;
          for (const body of [text, html]) expect(body.split('CODEGEN-ADDRESS')).to.have.length(count);
        });

        it('shows an address that looks like a link after its own link, and in HTML where no client makes a link of it', () => {
          if (!hasAddress) return;
          for (const body of [text, html])
            expect(body.indexOf('CODEGEN-ADDRESS')).to.be.above(body.lastIndexOf('{{ secret }}'));
          expect(html).to.match(/<a style="[^"]*">CODEGEN-ADDRESS<\/a>/);
        });

        it('names the product before the link or code, escaped in HTML', () => {
          const end = isPlain ? 'CODEGEN-ADDRESS' : '{{ secret }}';
          const before = (body: string) => body.slice(body.indexOf('<body'), body.indexOf(end));
          expect(text.slice(0, text.indexOf(end))).to.include(' Fish & <Chips>');
          // The name above the title, and the sentence.
          expect(before(html).split('Fish &amp; &lt;Chips&gt;')).to.have.length.at.least(3);
          expect(html).to.not.include('<Chips>');
        });

        it('loads no resources, runs no scripts, and is far below the 100 KB at which clients clip mails', () => {
          expect(html).to.not.match(/<img|<script|<link|<iframe|<form|\ssrc=|@import|url\(|background="/i);
          expect(Buffer.byteLength(html)).to.be.below(20_000);
        });

        it('has no line that is too long for a mail', () => {
          for (const line of [...text.split('\n'), ...html.split('\n')]) expect(line.length).to.be.at.most(990);
        });

        it('has words that need no escaping', () => {
          for (const word of Object.values(words[kind])) expect(String(word ?? '')).to.not.match(/[<>&"']/);
        });
      });
    }
  }
});

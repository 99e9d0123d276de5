import { expect } from 'chai';
import {
  defaultHtml,
  defaultPlaceholder,
  defaultSubject,
  defaultText,
} from '../../../../adapters/mailers/default-bodies.ts';
import { VerificationMail } from '../../../../application/users/verification-mail.ts';
import { addressOf } from '../../../support/arbitraries.ts';

const link = 'https://accounts.example.com/verify?email=alice%2Btag%40example.com&token=T-1&response_type=html';

const written = (placeholder: string) =>
  new VerificationMail({
    subject: defaultSubject,
    text: defaultText(placeholder),
    html: defaultHtml(placeholder),
    placeholder,
  }).to(addressOf('alice+tag@example.com'), 'T-1', 'https://accounts.example.com');

describe('the default bodies of the verification mail', () => {
  it('have the placeholder of the specification', () => {
    expect(defaultPlaceholder).to.equal('CODEGEN-URL');
    expect(defaultText()).to.include('CODEGEN-URL');
    expect(defaultHtml()).to.include('CODEGEN-URL');
    expect(defaultSubject).to.equal('Account Verification');
  });

  for (const placeholder of [defaultPlaceholder, '{{ link }}', '<URL>']) {
    it(`carry the link in place of ${placeholder}`, () => {
      const { text, html } = written(placeholder);
      expect(text.split('\n')).to.include(link);
      expect(text + html).to.not.include(placeholder);
      const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
      expect(new Set(targets)).to.deep.equal(new Set([link.replaceAll('&', '&amp;')]));
      // The button, the button for Outlook, and the plain link.
      expect(targets).to.have.length(3);
      expect(html).to.include(`>${link.replaceAll('&', '&amp;')}</a>`);
    });
  }

  it('say what to do for who did not ask for the mail', () => {
    const { text, html } = written(defaultPlaceholder);
    expect(text).to.include('If it was not you, ignore this email');
    expect(html).to.include('If it was not you, ignore this email');
  });

  it('fetch nothing, run nothing and are not cut by clients that cut at 100 KB', () => {
    const { html } = written(defaultPlaceholder);
    expect(html).to.not.match(/<img|<script|<link|<iframe|<form|\ssrc=|@import|url\(|background="/i);
    expect(Buffer.byteLength(html)).to.be.below(20_000);
  });

  it('keep lines as short as a mail may have them', () => {
    const { text, html } = written(defaultPlaceholder);
    for (const line of [...text.split('\n'), ...html.split('\n')]) expect(line.length).to.be.at.most(990);
  });
});

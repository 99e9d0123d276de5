import { expect } from 'chai';
import { verificationLink } from '../../../../adapters/http/paths.ts';
import {
  defaultHtml,
  defaultPlaceholder,
  defaultSubject,
  defaultText,
} from '../../../../adapters/mailers/default-mail-template.ts';
import { VerificationMail } from '../../../../application/commands/send-verification.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';

const link = 'https://accounts.example.com/verify?email=alice%2Btag%40example.com&token=T-1&response_type=html';

const mailWith = (placeholder: string) =>
  new VerificationMail(
    {
      subject: defaultSubject,
      text: defaultText(placeholder),
      html: defaultHtml(placeholder),
      placeholder,
    },
    verificationLink,
  ).to(addressOf('alice+tag@example.com'), 'T-1', 'https://accounts.example.com');

describe('the default template of the verification mail', () => {
  it('has the placeholder and the subject of the specification', () => {
    expect(defaultPlaceholder).to.equal('CODEGEN-URL');
    expect(defaultText()).to.include('CODEGEN-URL');
    expect(defaultHtml()).to.include('CODEGEN-URL');
    expect(defaultSubject).to.equal('Account Verification');
  });

  for (const placeholder of [defaultPlaceholder, '{{ link }}', '<URL>']) {
    it(`contains the link instead of ${placeholder}`, () => {
      const { text, html } = mailWith(placeholder);
      expect(text.split('\n')).to.include(link);
      expect(text + html).to.not.include(placeholder);
      const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
      expect(new Set(targets)).to.deep.equal(new Set([link.replaceAll('&', '&amp;')]));
      // The button, the button for Outlook, and the plain link.
      expect(targets).to.have.length(3);
      expect(html).to.include(`>${link.replaceAll('&', '&amp;')}</a>`);
    });
  }

  it('tells recipients who did not request the mail to ignore it', () => {
    const { text, html } = mailWith(defaultPlaceholder);
    expect(text).to.include('If it was not you, ignore this email');
    expect(html).to.include('If it was not you, ignore this email');
  });

  it('loads no resources, runs no scripts, and is far below the 100 KB at which clients clip mails', () => {
    const { html } = mailWith(defaultPlaceholder);
    expect(html).to.not.match(/<img|<script|<link|<iframe|<form|\ssrc=|@import|url\(|background="/i);
    expect(Buffer.byteLength(html)).to.be.below(20_000);
  });

  it('has no line that is too long for a mail', () => {
    const { text, html } = mailWith(defaultPlaceholder);
    for (const line of [...text.split('\n'), ...html.split('\n')]) expect(line.length).to.be.at.most(990);
  });
});

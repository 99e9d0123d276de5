import { expect } from 'chai';
import * as fc from 'fast-check';
import { verificationLink } from '../../../../adapters/http/paths.ts';
import { VerificationMail } from '../../../../application/commands/send-verification.ts';
import { addresses, addressOf, texts } from '../../../../sdk/contract/arbitraries.ts';

const jane = addressOf('jane@example.com');
const link = 'https://accounts.example.com/verify?email=jane%40example.com&token=t-1&response_type=html';
const template = {
  subject: 'Account Verification',
  text: 'CODEGEN-URL',
  html: 'CODEGEN-URL',
  placeholder: 'CODEGEN-URL',
};
const mail = (
  changes: Partial<typeof template>,
  address = jane,
  token = 't-1',
  base = 'https://accounts.example.com',
) => new VerificationMail({ ...template, ...changes }, verificationLink).to(address, token, base);

describe('the verification mail', () => {
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
});

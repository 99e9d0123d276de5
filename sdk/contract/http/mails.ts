import { expect } from 'chai';
import { newAddress } from './client.ts';
import { type Harness, publicUrl } from './harness.ts';

/** A verification token: a UUID version 4 (RFC 9562). */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The link in a mail. */
export const linkOf = (address: string, token: string): string =>
  `${publicUrl}/verify?email=${encodeURIComponent(address)}&token=${token}&response_type=html`;

/** The content of verification mails (docs/configuration.md, `email.messageOptions`), and failures to send them. */
export const mails = (harness: Harness): void => {
  describe('the mail', () => {
    it('is rendered from the files of messageOptions, with all placeholders replaced, and escaped in HTML', async () => {
      const directory = await harness.file('unused', '');
      const messageOptions = {
        subject: 'Grüße & mehr',
        bodyTextFilePath: await harness.file('mail.txt', 'one @LINK@ two @LINK@ $&'),
        bodyHtmlFilePath: await harness.file('mail.html', '<a href="@LINK@">@LINK@</a>'),
        urlPlaceholderString: '@LINK@',
      };
      const email = {
        type: 'outbox',
        directory: `${directory}-mails`,
        fromAddress: 'sender@example.com',
        messageOptions,
      };
      const { client } = await harness.service({ email });
      const account = await client.create({ address: `$&${newAddress()}` });
      const link = linkOf(account.address, await client.token(account));
      const [mail] = await harness.mailsIn(email.directory);
      expect(mail?.from).to.equal('sender@example.com');
      expect(mail?.subject).to.equal('Grüße & mehr');
      expect(mail?.text.trim()).to.equal(`one ${link} two ${link} $&`);
      const escaped = link.replaceAll('&', '&amp;');
      expect(mail?.html.trim()).to.equal(`<a href="${escaped}">${escaped}</a>`);
    });

    it('500 when it cannot be sent: the token stays, and another POST replaces it', async () => {
      const directory = await harness.file('not-a-folder', 'a file');
      const email = { type: 'outbox', directory, fromAddress: 'sender@example.com' };
      const { client } = await harness.service({ email });
      const account = await client.create();
      const tokens = [];
      for (const query of [{ email: account.address }, { email: account.address }]) {
        const response = await client.post('/verify', { query, password: account.password });
        expect(response.refusal).to.equal('500 mail_failed');
        tokens.push((await client.read(account)).user.email.verificationToken);
      }
      expect(tokens[0]).to.match(uuid);
      expect(tokens[1]).to.match(uuid);
      expect(tokens[0]).to.not.equal(tokens[1]);
    });
  });
};

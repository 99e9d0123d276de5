import { expect } from 'chai';
import { queuesMails } from '../../../../bootstrap/features/index.ts';
import { configured, database, problemsOf, warningsOf, withMails } from './read-configuration.ts';

const own = '{subject: S, bodyTextFilePath: "@/link.txt", bodyHtmlFilePath: "@/plain.txt"}';
const files = { 'link.txt': 'CODEGEN-URL', 'plain.txt': 'no link' };
const withTexts = (blocks: string): string =>
  `${withMails(`, messages: {passwordNotice: {locales: {en: ${own}}}}`)}\n${blocks}`;

describe('the list notices', () => {
  it('is empty by default, and for null', async () => {
    for (const file of [withMails(), `${withMails()}\nnotices:`, `${withMails()}\nnotices: []`]) {
      const configuration = await configured(file);
      expect(configuration.notices).to.deep.equal([]);
      expect(queuesMails(configuration)).to.equal(false);
    }
  });

  it('makes that mails are queued, also without email.queue', async () => {
    const configuration = await configured(`${withMails()}\nnotices: [password, state]`);
    expect(configuration.notices).to.deep.equal(['password', 'state']);
    expect(queuesMails(configuration)).to.equal(true);
  });

  it('is refused with other topics, and without a mailer', async () => {
    expect(await problemsOf(`${withMails()}\nnotices: [passwords]`)).to.deep.equal([
      'notices[0]: expected one of password, address, recovery, state',
    ]);
    expect(await problemsOf(`${database}\nnotices: [password]`)).to.deep.equal([
      'notices: need a mailer; configure the block email, or write notices: []',
    ]);
  });

  it('needs no link in its texts, and warns of one that leads nowhere', async () => {
    const about = async (file: string) => (await warningsOf(file, files)).filter((line) => line.includes('Notice'));
    expect(await about(withTexts('notices: [password]'))).to.deep.equal([
      'email.messages.passwordNotice.locales.en.bodyTextFilePath: the file contains urlPlaceholderString, but recovery.requestUrl is absent, so the mail has no link',
    ]);
    const recovery = 'recovery: {deliver: caller, requestUrl: "https://example.com/forgotten"}';
    expect(await about(withTexts(`notices: [password]\n${recovery}`))).to.deep.equal([]);
  });
});

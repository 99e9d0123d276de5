import { expect } from 'chai';
import type { Mail, Mailer } from '../../application/ports/mailer.ts';
import { addressOf } from './arbitraries.ts';
import { faultOf } from './outcomes.ts';
import type { ReceivedMail } from './received-mail.ts';
import { failureTests, type SimulatedFailures } from './simulated-failures.ts';

/** A mailer under test and the mails that it sent. */
export interface OpenedMailer {
  readonly mailer: Mailer;
  /** The mails that have arrived, in any order. */
  sent(): Promise<readonly ReceivedMail[]>;
  /** An address to which the mail provider never accepts a mail; absent if the provider accepts every valid address. */
  readonly refused?: string;
  /** Whether the mailer embeds images; otherwise it may leave them out. */
  readonly embedsImages?: boolean;
  dispose(): Promise<void>;
}

/** A mail to an address; `content` overrides the default content. */
export const mailTo = (to: string, content: Partial<Mail> = {}): Mail => ({
  subject: 'Account Verification',
  text: 'Open the link.\n',
  html: '<p>Open the link.</p>\n',
  ...content,
  to: addressOf(to),
});

const link = `https://accounts.example.com/base/verify?email=${'%F0%9F%98%80'.repeat(5)}%40example.com&token=0b6f4c8e-6a3e-4a5f-9d57-1f6c2b0f7a11&response_type=html`;
const linkInHtml = link.replaceAll('&', '&amp;');

const bodies: Readonly<Record<string, Pick<Mail, 'text' | 'html'>>> = {
  'plain text': { text: 'Hello\n\nBye\n', html: '<p>Hello</p>\n' },
  'a link of more than 76 characters': { text: `Open\n${link}\n`, html: `<a href="${linkInHtml}">${linkInHtml}</a>\n` },
  'characters of every Unicode plane': {
    text: 'Grüße, 你好, 😀 \u{10FFFD}\n',
    html: '<p>Grüße, 你好, 😀 \u{10FFFD}</p>\n',
  },
  'lines longer than a mail allows': { text: `${'x'.repeat(5000)}\n`, html: `<p>${'ü'.repeat(5000)}</p>\n` },
  'many words in one line': { text: `${'word '.repeat(600)}end\n`, html: `<p>${'word '.repeat(600)}</p>\n` },
  'lines with a meaning in SMTP': { text: 'a\n.\n..\n.b\nFrom x\n', html: '<p>a\n.\n..\n.b\nFrom x</p>\n' },
  'text that looks encoded': {
    text: 'a=3Db =\n=?utf-8?Q?x?=\n--\n-- \n',
    html: '<p title="a=3Db">=?utf-8?Q?x?=</p>\n',
  },
  'trailing blanks': { text: 'two  \n tab\t\n  indented\n\n\n', html: '<pre>two  \n tab\t\n  x</pre>\n' },
  'text without a final newline': { text: 'no end', html: '<p>no end</p>' },
};

const contentTests = (opened: () => OpenedMailer): void => {
  for (const [description, content] of Object.entries(bodies)) {
    it(`delivers ${description} unchanged, as text and as HTML`, async () => {
      const { mailer, sent } = opened();
      await mailer.send(mailTo('alice@example.com', content));
      const [mail, ...others] = await sent();
      expect(others).to.deep.equal([]);
      // A mailer may add a final newline.
      expect(mail?.text.replace(/\n$/, '')).to.equal(content.text.replace(/\n$/, ''));
      expect(mail?.html.replace(/\n$/, '')).to.equal(content.html.replace(/\n$/, ''));
    });
  }

  it('delivers the bodies of a mail with an image unchanged, whether or not it can embed the image', async () => {
    const { mailer, sent, embedsImages = false } = opened();
    // The smallest PNG image, of one transparent pixel.
    const content = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
      'base64',
    );
    const html = '<p><img src="cid:logo" alt="Example"></p>\n';
    const images = [{ contentId: 'logo', type: 'image/png', content } as const];
    await mailer.send(mailTo('alice@example.com', { html, images }));
    const [mail, ...others] = await sent();
    expect(others).to.deep.equal([]);
    expect(mail?.to).to.equal('alice@example.com');
    expect(mail?.text.trim()).to.equal('Open the link.');
    expect(mail?.html.trim()).to.equal(html.trim());
    if (embedsImages) expect(mail?.images).to.deep.equal([{ contentId: 'logo', bytes: content.length }]);
  });

  for (const subject of ['Account Verification', 'Grüße 😀 你好', `${'Überprüfung '.repeat(30)}😀`]) {
    it(`delivers a subject of ${subject.length} characters: ${subject.slice(0, 20)}`, async () => {
      const { mailer, sent } = opened();
      await mailer.send(mailTo('alice@example.com', { subject }));
      expect((await sent()).map((mail) => mail.subject)).to.deep.equal([subject]);
    });
  }
};

const addressTests = (opened: () => OpenedMailer): void => {
  for (const to of [
    'alice+tag@example.com',
    "o'neil.{x}|y/z@sub.example.com",
    'ALICE@example.com',
    'alice@localhost',
  ]) {
    it(`delivers to ${to} only`, async () => {
      const { mailer, sent } = opened();
      await mailer.send(mailTo(to));
      const [mail] = await sent();
      expect(mail?.to).to.equal(to);
      expect(mail?.from).to.match(/^[^\s@]+@[^\s@]+$/);
    });
  }

  for (const newline of ['\r\n', '\n', '\r']) {
    it(`prevents header injection through a subject with ${JSON.stringify(newline)}`, async () => {
      const { mailer, sent } = opened();
      await mailer.send(
        mailTo('alice@example.com', { subject: `Hello${newline}To: eve@example.com${newline}${newline}Body` }),
      );
      const [mail] = await sent();
      expect(mail?.to).to.equal('alice@example.com');
      expect(mail?.subject).to.match(/^Hello\s*To: eve@example\.com\s*Body$/);
      expect(mail?.text).to.equal('Open the link.\n');
    });
  }
};

/** What the contract of a mailer tests. */
export interface MailerContractOptions {
  /** The failures of the provider that the test can cause. Without it, the behaviour during a failure is not tested. */
  readonly failures?: SimulatedFailures;
}

/** The contract of a mailer. `open` returns a new mailer for each test. */
export const mailerContract = (
  name: string,
  open: () => Promise<OpenedMailer>,
  { failures }: MailerContractOptions = {},
): void => {
  describe(`mailer contract: ${name}`, () => {
    let opened: OpenedMailer;
    let dispose: (() => Promise<void>) | undefined;
    beforeEach(async () => {
      dispose = undefined;
      opened = await open();
      dispose = () => opened.dispose();
    });
    afterEach(() => dispose?.());

    contentTests(() => opened);
    addressTests(() => opened);

    it('delivers every mail of many concurrent calls', async () => {
      const recipients = Array.from({ length: 40 }, (_, index) => `recipient-${index}@example.com`);
      await Promise.all(recipients.map((to) => opened.mailer.send(mailTo(to, { text: `for ${to}\n` }))));
      const mails = await opened.sent();
      expect(mails.map(({ to, text }) => `${to} ${text}`)).to.have.members(recipients.map((to) => `${to} for ${to}\n`));
    });

    it('tells the refusal of one mail from other failures, and sends the next mail', async function () {
      const { mailer, sent, refused } = opened;
      if (refused === undefined) return this.skip();
      const fault = await faultOf(mailer.send(mailTo(refused)));
      expect([fault.code, fault.refusal]).to.deep.equal(['mail_failed', 'permanent']);
      expect(fault.message).to.not.include(refused);
      await mailer.send(mailTo('alice@example.com'));
      expect((await sent()).map(({ to }) => to)).to.deep.equal(['alice@example.com']);
    });

    if (failures !== undefined) {
      const calls = {
        send: () => opened.mailer.send(mailTo('alice@example.com')),
        check: () => opened.mailer.check(),
      };
      const prepare = async () => ({ all: calls, repeatable: Object.values(calls) });
      failureTests('the provider', 'mail_failed', failures, prepare);
    }

    it('sends nothing during a check, and returns one line', async () => {
      expect(await opened.mailer.check()).to.match(/^[^\n]+$/);
      expect(await opened.sent()).to.deep.equal([]);
    });
  });
};

import { expect } from 'chai';
import { Fault } from '../../application/fault.ts';
import type { Secrets } from '../../application/ports/secrets.ts';

/** A provider under test, and a way to put a secret into it. */
export interface OpenedSecrets {
  readonly secrets: Secrets;
  store(name: string, value: string): Promise<void>;
  dispose(): Promise<void>;
}

const values: Readonly<Record<string, string>> = {
  'a word': 'swordfish',
  'syntax of YAML and of placeholders': '"a": [${OTHER}] # *x\n  - $${',
  'characters of every plane': 'Grüße, 你好, 😀 \u{10FFFD}',
  'blanks at both ends': '  \tpadded\n ',
  'several lines': '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n',
};

/** What every provider of secrets does. Names are made of letters, digits and `_`, which all of them take. */
export const secretsContract = (name: string, open: () => Promise<OpenedSecrets>): void => {
  describe(`secrets: ${name}`, () => {
    let opened: OpenedSecrets;

    before(async () => {
      opened = await open();
    });

    after(async () => {
      await opened.secrets.close();
      await opened.dispose();
    });

    for (const [what, value] of Object.entries(values)) {
      it(`returns ${what} exactly`, async () => {
        await opened.store('LATCHKEY_TEST_SECRET', value);

        expect(await opened.secrets.get('LATCHKEY_TEST_SECRET')).to.equal(value);
      });
    }

    it('keeps secrets apart', async () => {
      await opened.store('LATCHKEY_TEST_ONE', 'first');
      await opened.store('LATCHKEY_TEST_TWO', 'second');

      expect(
        await Promise.all(['LATCHKEY_TEST_ONE', 'LATCHKEY_TEST_TWO'].map((key) => opened.secrets.get(key))),
      ).to.eql(['first', 'second']);
    });

    for (const unknown of ['LATCHKEY_TEST_NOBODY', 'constructor', '__proto__']) {
      it(`names the secret ${unknown} that it does not know`, async () => {
        const fault: unknown = await opened.secrets.get(unknown).catch((error: unknown) => error);

        expect(fault).to.be.instanceOf(Fault).with.property('code', 'secret_unknown');
        expect(fault).to.have.property('message').that.includes(unknown);
      });
    }

    it('tells operators where secrets come from, without one', async () => {
      await opened.store('LATCHKEY_TEST_SECRET', 'swordfish');

      expect(await opened.secrets.check())
        .to.be.a('string')
        .that.is.not.empty.and.does.not.include('swordfish');
    });
  });
};

import { expect } from 'chai';
import { Fault } from '../../application/fault.ts';
import type { Secrets } from '../../application/ports/secrets.ts';

/** A provider under test. */
export interface OpenedSecrets {
  readonly secrets: Secrets;
  /** Stores a secret in the provider. */
  store(name: string, value: string): Promise<void>;
  dispose(): Promise<void>;
}

const values: Readonly<Record<string, string>> = {
  'a word': 'swordfish',
  'the syntax of YAML and of placeholders': '"a": [${OTHER}] # *x\n  - $${',
  'characters of every Unicode plane': 'Grüße, 你好, 😀 \u{10FFFD}',
  'leading and trailing blanks': '  \tpadded\n ',
  'several lines': '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n',
};

/** The contract of a provider of secrets. Names consist of letters, digits and `_`, which every provider supports. */
export const secretsContract = (name: string, open: () => Promise<OpenedSecrets>): void => {
  describe(`secrets contract: ${name}`, () => {
    let opened: OpenedSecrets;
    let dispose: (() => Promise<void>) | undefined;

    before(async () => {
      opened = await open();
      dispose = async () => {
        await opened.secrets.close();
        await opened.dispose();
      };
    });

    after(() => dispose?.());

    for (const [description, value] of Object.entries(values)) {
      it(`returns ${description} unchanged`, async () => {
        await opened.store('LATCHKEY_TEST_SECRET', value);

        expect(await opened.secrets.get('LATCHKEY_TEST_SECRET')).to.equal(value);
      });
    }

    it('distinguishes secrets', async () => {
      await opened.store('LATCHKEY_TEST_ONE', 'first');
      await opened.store('LATCHKEY_TEST_TWO', 'second');

      expect(
        await Promise.all(['LATCHKEY_TEST_ONE', 'LATCHKEY_TEST_TWO'].map((key) => opened.secrets.get(key))),
      ).to.eql(['first', 'second']);
    });

    for (const unknown of ['LATCHKEY_TEST_UNKNOWN', 'constructor', '__proto__']) {
      it(`rejects the unknown secret ${unknown} and names it`, async () => {
        const fault: unknown = await opened.secrets.get(unknown).catch((error: unknown) => error);

        expect(fault).to.be.instanceOf(Fault).with.property('code', 'secret_unknown');
        expect(fault).to.have.property('message').that.includes(unknown);
      });
    }

    it('describes the provider without the value of a secret', async () => {
      await opened.store('LATCHKEY_TEST_SECRET', 'swordfish');

      expect(await opened.secrets.check())
        .to.be.a('string')
        .that.is.not.empty.and.does.not.include('swordfish');
    });
  });
};

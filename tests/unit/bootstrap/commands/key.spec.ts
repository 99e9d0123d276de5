import { expect } from 'chai';
import { basicAuthenticator } from '../../../../adapters/http/authentication/authenticator.ts';
import { keyText } from '../../../../bootstrap/commands/key.ts';
import { sha256 } from '../../../support/client-keys.ts';
import { configured, database } from '../configuration/read-configuration.ts';

const secret = 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJ';

/** The indented parts of the text. */
const partsOf = (text: string): readonly string[] => [...text.matchAll(/(?:^ {2}.*\n)+/gm)].map(([part]) => part);

describe('what latchkey key prints', () => {
  for (const application of ['shop', 'Anna\'s "shop", #1', 'null']) {
    it(`has two entries for ${application} to paste, which both accept the secret`, async () => {
      const [shown, digest, plain, ...others] = partsOf(keyText(application, secret));
      expect(shown?.trim()).to.equal(secret);
      expect(others).to.have.lengthOf(1);
      for (const [entry, holdsSecret] of [[digest, false] as const, [plain, true] as const]) {
        expect(String(entry).includes(secret)).to.equal(holdsSecret);
        for (const block of ['auth', 'admin'] as const) {
          const decoded = (await configured(`${database}\n${block}:\n keys:\n${entry}`))[block];
          const { authenticate } = basicAuthenticator(decoded && 'keys' in decoded ? decoded.keys : []);
          const sent = Buffer.from(`${application}:${secret}`).toString('base64');
          expect(authenticate(`Basic ${sent}`)?.name).to.equal(application);
        }
      }
    });
  }

  it('has a second secret to paste below the first one', async () => {
    const [, , , second] = partsOf(keyText('shop', secret));
    const yaml = `${database}\nauth:\n keys:\n  - application: shop\n    secrets:\n      - secret: the former one\n${second}`;
    const { auth } = await configured(yaml);
    const [key] = auth?.type === 'basic' ? auth.keys : [];
    expect(key?.secrets.map(({ sha256: digest }) => digest)).to.eql([sha256('the former one'), sha256(secret)]);
  });
});

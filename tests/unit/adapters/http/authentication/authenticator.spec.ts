import { expect } from 'chai';
import { basicAuthenticator } from '../../../../../adapters/http/authentication/authenticator.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('Basic authentication', () => {
  const keys = [
    { application: 'shop', secret: 'the secret of the shop' },
    { application: 'café 漢', secret: 'a:secret:with:colons and ü' },
    { application: 'blank secret', secret: ' ' },
  ];
  const authenticator = basicAuthenticator(keys);
  const accepted = (header: string | undefined): string | undefined => authenticator.authenticate(header)?.name;

  it('returns the application of the key', () => {
    for (const { application, secret } of keys) {
      expect(accepted(`Basic ${base64(`${application}:${secret}`)}`)).to.equal(application);
    }
  });

  it('accepts the scheme in any case, and spaces around the credentials', () => {
    const credentials = base64('shop:the secret of the shop');
    for (const header of [`basic ${credentials}`, `BASIC ${credentials}`, `Basic   ${credentials} `]) {
      expect(accepted(header)).to.equal('shop');
    }
  });

  it('accepts each of a thousand keys with its own secret only', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => ({ application: `app ${at}`, secret: `secret ${at}` }));
    const { authenticate } = basicAuthenticator(many);
    for (const at of [0, 1, 499, 998, 999]) {
      expect(authenticate(`Basic ${base64(`app ${at}:secret ${at}`)}`)?.name).to.equal(`app ${at}`);
      expect(authenticate(`Basic ${base64(`app ${at}:secret ${at + 1}`)}`)).to.equal(undefined);
    }
  });

  const refused = {
    nothing: undefined,
    'an empty header': '',
    'the scheme only': 'Basic',
    'the scheme and a space': 'Basic ',
    'another scheme': `Bearer ${base64('shop:the secret of the shop')}`,
    'a scheme that starts like it': `Basics ${base64('shop:the secret of the shop')}`,
    'no scheme': base64('shop:the secret of the shop'),
    'a wrong secret': `Basic ${base64('shop:the secret of the shop!')}`,
    'a shorter secret': `Basic ${base64('shop:the secret of the sho')}`,
    'no secret': `Basic ${base64('shop:')}`,
    'no colon': `Basic ${base64('shop')}`,
    'a wrong application': `Basic ${base64('shop2:the secret of the shop')}`,
    'another case': `Basic ${base64('Shop:the secret of the shop')}`,
    'the secret of another key': `Basic ${base64('shop:a:secret:with:colons and ü')}`,
    'text that is not encoded': 'Basic shop:the secret of the shop',
    'malformed base64': 'Basic ====',
    'base64 with a character of another alphabet': `Basic ${base64('shop:the secret of the shop')}!`,
    'base64 with a space inside': `Basic ${base64('shop:the secret of the shop').replace(/^.{4}/, '$& ')}`,
    'Latin-1': `Basic ${base64(Buffer.from('café:a:secret', 'latin1'))}`,
    'a byte order mark': `Basic ${base64('\ufeffshop:the secret of the shop')}`,
    'two credentials': `Basic ${base64('shop:the secret of the shop')}, Basic ${base64('a:b')}`,
  };
  for (const [name, header] of Object.entries(refused)) {
    it(`refuses ${name}`, () => {
      expect(accepted(header)).to.equal(undefined);
    });
  }

  it('refuses longer credentials that start with those of the longest key', () => {
    for (const length of [1, 46, 47, 48, 94, 95]) {
      const { authenticate } = basicAuthenticator([{ application: 's', secret: 'x'.repeat(length) }]);
      const credentials = base64(`s:${'x'.repeat(length)}`);
      expect(authenticate(`Basic ${credentials}`)?.name).to.equal('s');
      for (const more of ['AAAA', 'x'.repeat(64)])
        expect(authenticate(`Basic ${credentials}${more}`), `${credentials}${more}`).to.equal(undefined);
    }
  });

  it('does not take malformed UTF-8 for the replacement character', () => {
    const { authenticate } = basicAuthenticator([{ application: 'shop', secret: '\ufffd' }]);
    expect(authenticate(`Basic ${base64('shop:\ufffd')}`)?.name).to.equal('shop');
    expect(authenticate(`Basic ${base64(Buffer.from('shop:\xff', 'latin1'))}`)).to.equal(undefined);
  });

  it('asks for UTF-8 in the challenge', () => {
    expect(authenticator.challenge(undefined)).to.equal('Basic realm="latchkey", charset="UTF-8"');
  });
});

describe('Basic authentication without keys', () => {
  it('refuses every client', () => {
    const authenticator = basicAuthenticator([]);
    expect(authenticator.authenticate(`Basic ${base64(':')}`)).to.equal(undefined);
    expect(authenticator.challenge(undefined)).to.match(/^Basic /);
  });
});

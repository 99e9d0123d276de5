import { expect } from 'chai';
import { type BasicKey, basicAuthenticator } from '../../../../../adapters/http/authentication/authenticator.ts';
import { basicKey, digestOnly, keySecret, sha256 } from '../../../../support/client-keys.ts';
import { ManualClock } from '../../../../support/doubles/manual-clock.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');

describe('Basic authentication', () => {
  const keys = [
    { application: 'shop', secret: 'the secret of the shop' },
    { application: 'café 漢', secret: 'a:secret:with:colons and ü' },
    { application: 'blank secret', secret: ' ' },
  ];
  const authenticator = basicAuthenticator(keys.map(({ application, secret }) => basicKey(application, secret)));
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
    const { authenticate } = basicAuthenticator(many.map(({ application, secret }) => basicKey(application, secret)));
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
      const { authenticate } = basicAuthenticator([basicKey('s', 'x'.repeat(length))]);
      const credentials = base64(`s:${'x'.repeat(length)}`);
      expect(authenticate(`Basic ${credentials}`)?.name).to.equal('s');
      for (const more of ['AAAA', 'x'.repeat(64)])
        expect(authenticate(`Basic ${credentials}${more}`), `${credentials}${more}`).to.equal(undefined);
    }
  });

  it('does not take malformed UTF-8 for the replacement character', () => {
    const { authenticate } = basicAuthenticator([basicKey('shop', '\ufffd')]);
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

const header = (credentials: string): string => `Basic ${base64(credentials)}`;

describe('Basic authentication with digests', () => {
  const secrets = { shop: 'the secret of the shop', 'café 漢': 'a:secret:with:colons and ü' };
  const { authenticate } = basicAuthenticator([
    ...Object.entries(secrets).map(([application, secret]) => ({ application, secrets: [digestOnly(secret)] })),
    basicKey('plain', 'a secret in the file'),
  ]);

  it('accepts each secret with its own application only', () => {
    expect(authenticate(header('shop:the secret of the shop'))).to.include({ name: 'shop', key: 1 });
    expect(authenticate(header('café 漢:a:secret:with:colons and ü'))).to.include({ name: 'café 漢', key: 2 });
    expect(authenticate(header('plain:a secret in the file'))).to.include({ name: 'plain', key: 3 });
    expect(authenticate(header('café 漢:the secret of the shop'))).to.equal(undefined);
    expect(authenticate(header('plain:the secret of the shop'))).to.equal(undefined);
  });

  it('accepts the other forms of Base64 that it accepts of secrets', () => {
    const unpadded = base64('shop:the secret of the shop').replace(/=+$/, '');
    expect(authenticate(`basic ${unpadded}`)?.name).to.equal('shop');
  });

  const refused = {
    'the digest itself': header(`shop:${sha256('the secret of the shop')}`),
    'a wrong secret': header('shop:the secret of the shop!'),
    'no secret': header('shop:'),
    'no colon': header('shop'),
    'the secret without an application': header(':the secret of the shop'),
    'a part of the application': header('sho:the secret of the shop'),
    'an application that is padded': header('shop\0:the secret of the shop'),
    'an application that is longer than every other': header(`shop${'p'.repeat(200)}:the secret of the shop`),
    'characters of another alphabet': `${header('shop:the secret of the shop')}!`,
    nothing: undefined,
  };
  for (const [name, sent] of Object.entries(refused)) {
    it(`refuses ${name}`, () => expect(authenticate(sent)).to.equal(undefined));
  }

  it('does not take malformed UTF-8 for the replacement character', () => {
    const replaced = basicAuthenticator([{ application: 'shop', secrets: [digestOnly('\ufffd')] }]);
    expect(replaced.authenticate(header('shop:\ufffd'))?.name).to.equal('shop');
    expect(replaced.authenticate(`Basic ${base64(Buffer.from('shop:\xff', 'latin1'))}`)).to.equal(undefined);
  });
});

describe('Basic authentication with a digest and a long name', () => {
  it('does not take a longer name for it', () => {
    for (const length of [63, 64, 128]) {
      const application = 'a'.repeat(length);
      const { authenticate } = basicAuthenticator([{ application, secrets: [digestOnly('a secret')] }]);
      expect(authenticate(header(`${application}:a secret`))?.name).to.equal(application);
      expect(authenticate(header(`${application}b:a secret`))).to.equal(undefined);
    }
  });
});

describe('Basic authentication with two secrets', () => {
  const now = Date.UTC(2030, 0, 31);
  const clock = new ManualClock(now);
  beforeEach(() => {
    clock.time = now;
  });

  const forms = { secrets: keySecret, digests: digestOnly };
  for (const [form, secretOf] of Object.entries(forms)) {
    const key = (expires: number): BasicKey => ({
      application: 'shop',
      may: ['read'],
      secrets: [secretOf('the former one', 0, expires), secretOf('the next one', 1)],
    });

    it(`accepts both as one key until the former one expires: ${form}`, () => {
      const { authenticate } = basicAuthenticator([key(now + 1_000)], clock);
      for (const secret of ['the former one', 'the next one']) {
        const client = authenticate(header(`shop:${secret}`));
        expect(client).to.include({ name: 'shop', key: 1 });
        expect([...(client?.may ?? [])]).to.eql(['read']);
      }
      clock.time += 999;
      expect(authenticate(header('shop:the former one'))?.name).to.equal('shop');
      clock.time += 1;
      expect(authenticate(header('shop:the former one'))).to.equal(undefined);
      expect(authenticate(header('shop:the next one'))?.name).to.equal('shop');
      clock.time = now;
      expect(authenticate(header('shop:the former one'))?.name, 'after the clock was set back').to.equal('shop');
    });

    it(`tells which of them was sent: ${form}`, () => {
      const { authenticate, uses } = basicAuthenticator([basicKey('other', 'a secret'), key(now + 1)], clock);
      const options = ['auth.keys[0].secrets[0]', 'auth.keys[0].secrets[1]'];
      expect(uses?.map(({ option }) => option)).to.eql(options);
      expect(authenticate(header('shop:the next one'))?.secret).to.equal(uses?.[1]);
      expect(authenticate(header('shop:the former one'))?.secret).to.equal(uses?.[0]);
      expect(authenticate(header('other:a secret'))).to.eql({ name: 'other', key: 1 });
    });
  }

  it('accepts a secret that is twice in the file until the later time', () => {
    for (const times of [[now - 1, null] as const, [null, now - 1] as const]) {
      const secrets = times.map((expires, index) => keySecret('the same', index, expires));
      const { authenticate } = basicAuthenticator([{ application: 'shop', secrets }], clock);
      expect(authenticate(header('shop:the same'))?.name).to.equal('shop');
    }
  });
});

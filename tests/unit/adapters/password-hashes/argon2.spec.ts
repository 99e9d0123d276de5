import native from 'argon2';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { argon2 } from '../../../../adapters/password-hashes/argon2.ts';
import { slowHashes } from '../../../../adapters/password-hashes/slow-hashes.ts';
import { passwordHashContract } from '../../../../sdk/contract/password-hash.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';
import { expectNoHash } from './expect-no-hash.ts';

// Cheaper than a configuration allows, because these tests do not depend on the costs.
const open = () => argon2.open({ memoryKiB: 256, passes: 2, parallelism: 1 }, silentContext);

passwordHashContract('argon2', open);

/** The reference implementation's own vector: 256 KiB, two passes, one lane. */
const digest = 'nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
const withParameters = (parameters: string) => `$argon2id$v=19$${parameters}$c29tZXNhbHQ$${digest}`;

describe('argon2', () => {
  // All but the last: test vectors of the reference implementation (phc-winner-argon2, src/test.c) or of John the
  // Ripper.
  for (const [form, stored] of [
    ['argon2id', withParameters('m=256,t=2,p=1')],
    ['argon2id with two lanes', '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'],
    ['argon2i', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
    ['argon2i without its version', '$argon2i$m=256,t=2,p=1$c29tZXNhbHQ$/U3YPXYsSb3q9XxHvc0MLxur+GP960kN9j7emXX8zwY'],
    ['argon2d', '$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$JcTui6RIBUtJ78gE5Hi52CO+H5vS6Z9R1uxAB6OhUB8'],
    ['argon2d of version 16', '$argon2d$v=16$m=256,t=2,p=1$c29tZXNhbHQ$vUBIaP8AxS51Q8gzLmp3KlckiS1+Mo1c8lO7yOcms3E'],
  ] as const) {
    it(`verifies ${form}`, async () => {
      const hash = await open();
      expect(await hash.verify(stored, 'password')).to.equal(true);
      expect(await hash.verify(stored, 'sassword')).to.equal(false);
    });
  }

  for (const order of [
    'm=256,t=2,p=1',
    'm=256,p=1,t=2',
    't=2,m=256,p=1',
    't=2,p=1,m=256',
    'p=1,m=256,t=2',
    'p=1,t=2,m=256',
  ]) {
    it(`accepts parameters in the order ${order}`, async () => {
      expect(await (await open()).verify(withParameters(order), 'password')).to.equal(true);
    });
  }

  it('creates argon2id hashes with 19 MiB and two passes by default (OWASP)', async () => {
    const decoded = argon2.configuration.decode({});
    if (decoded._tag === 'Left') throw new Error('the defaults do not decode');
    const stored = await (await argon2.open(decoded.right, silentContext)).hash('secret');
    const [, variant, version, parameters = ''] = stored.split('$');
    expect([variant, version]).to.deep.equal(['argon2id', 'v=19']);
    expect(Object.fromEntries(parameters.split(',').map((each) => each.split('=')))).to.deep.equal({
      m: '19456',
      t: '2',
      p: '1',
    });
  });

  it('creates hashes with the order of parameters that other implementations read (argon2 encode_string)', async () => {
    expect(await (await open()).hash('password')).to.match(/^\$argon2id\$v=19\$m=256,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  });

  it('creates hashes with the configured costs, and verifies others', async () => {
    const stored = await (await argon2.open({ memoryKiB: 20_000, passes: 3, parallelism: 2 }, silentContext)).hash(
      'secret',
    );
    expect(stored).to.contain('m=20000').and.to.contain('t=3').and.to.contain('p=2');
    expect(await (await open()).verify(stored, 'secret')).to.equal(true);
  });

  it('rejects options below the recommendation, and above the limits for stored hashes', () => {
    for (const wrong of [
      { memoryKiB: 19_455 },
      { memoryKiB: 2 ** 20 + 1 },
      { passes: 1 },
      { passes: 11 },
      { parallelism: 0 },
      { parallelism: 17 },
    ]) {
      expect(argon2.configuration.decode(wrong)._tag, JSON.stringify(wrong)).to.equal('Left');
    }
    expect(argon2.configuration.decode({ memoryKiB: 2 ** 20, passes: 10, parallelism: 16 })._tag).to.equal('Right');
  });

  describe('with a memory limit', () => {
    const withLimit = (hashMemoryKiB: number) =>
      argon2.open({ memoryKiB: 256, passes: 2, parallelism: 1 }, { ...silentContext, hashMemoryKiB });

    it('verifies hashes up to the limit, and rejects others without computing a hash', async () => {
      const stored = await (await argon2.open({ memoryKiB: 300, passes: 2, parallelism: 1 }, silentContext)).hash('p');
      expect(await (await withLimit(300)).verify(stored, 'p')).to.equal(true);
      const hash = await withLimit(299);
      await expectNoHash(slowHashes, () => hash.verify(stored, 'p'));
      expect(hash.inspect(stored)).to.equal('foreign');
    });

    it('rejects hashes with more than 1 GiB over all passes without computing a hash', async () => {
      const hash = await argon2.open({ memoryKiB: 256, passes: 2, parallelism: 1 }, silentContext);
      const form = (m: number, t: number) => `$argon2id$v=19$m=${m},t=${t},p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
      for (const [m, t] of [
        [1024 * 1024, 10],
        [1024 * 1024, 2],
        [104_858, 10],
      ] as const) {
        await expectNoHash(slowHashes, () => hash.verify(form(m, t), 'p'));
        expect(hash.inspect(form(m, t)), `${m}, ${t}`).to.equal('foreign');
      }
      for (const [m, t] of [
        [1024 * 1024, 1],
        [104_857, 10],
      ] as const)
        expect(hash.inspect(form(m, t)), `${m}, ${t}`).not.to.equal('foreign');
    });

    it('verifies its own hashes even if the limit is lower', async () => {
      const hash = await withLimit(0);
      const stored = await hash.hash('secret');
      expect(await hash.verify(stored, 'secret')).to.equal(true);
      expect(hash.inspect(stored)).to.equal('current');
    });
  });

  it('distinguishes long passwords by their last character', async () => {
    const hash = await open();
    expect(hash.canHash('x'.repeat(5000))).to.equal(true);
    const stored = await hash.hash('p'.repeat(5000));
    expect(await hash.verify(stored, 'p'.repeat(5000))).to.equal(true);
    expect(await hash.verify(stored, 'p'.repeat(4999))).to.equal(false);
  });

  it('treats NUL like any other character', async () => {
    const hash = await open();
    expect(await hash.verify(await hash.hash('a\0a'), 'a\0a')).to.equal(true);
  });

  describe('rejects without computing a hash', () => {
    for (const parameters of [
      'm=1048577,t=2,p=1',
      'm=4294967295,t=2,p=1',
      'm=99999999999999999999,t=2,p=1',
      'm=256,t=11,p=1',
      'm=256,t=4294967295,p=1',
      'm=256,t=2,p=17',
      'm=256,t=0,p=1',
      'm=256,t=2,p=0',
      'm=0,t=2,p=1',
      'm=15,t=2,p=2',
      'm=256,t=2',
      'm=256,t=2,p=1,p=1',
      'm=256,m=8,t=2,p=1',
      'm=256,t=2,p=1,data=c29tZXNhbHQ',
      'm=256,t=2,p=1,keyid=c29tZQ',
      'm=-256,t=2,p=1',
      'm=2e2,t=2,p=1',
      'm=0x100,t=2,p=1',
      'm=256,t=2,p=1,',
      '',
    ]) {
      it(`the parameters ${parameters || '(none)'}`, async () => {
        const hash = await open();
        await expectNoHash(slowHashes, () => hash.verify(withParameters(parameters), 'password'));
      });
    }

    for (const [form, stored] of [
      ['another variant', `$argon2x$v=19$m=256,t=2,p=1$c29tZXNhbHQ$${digest}`],
      ['another version', `$argon2id$v=18$m=256,t=2,p=1$c29tZXNhbHQ$${digest}`],
      ['a salt of 7 bytes', `$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbA$${digest}`],
      ['a digest of 11 bytes', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uI'],
      ['no digest', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ'],
      ['a digest that no bytes encode to', `${withParameters('m=256,t=2,p=1').slice(0, -1)}5`],
      ['a salt that no bytes encode to', `$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHR$${digest}`],
      ['padding', `${withParameters('m=256,t=2,p=1')}=`],
      ['a further field', `${withParameters('m=256,t=2,p=1')}$`],
      ['a line end', `${withParameters('m=256,t=2,p=1')}\n`],
    ] as const) {
      it(form, async () => {
        const hash = await open();
        await expectNoHash(slowHashes, () => hash.verify(stored, 'password'));
        expect(hash.inspect(stored)).to.equal('foreign');
      });
    }
  });

  it('verifies a hash with a salt of 64 bytes, as some servers make them', async () => {
    const salt = Buffer.alloc(64, 'salt');
    const stored = await native.hash('password', { salt, memoryCost: 1024, timeCost: 2, parallelism: 1 });
    const hash = await open();
    expect(await hash.verify(stored, 'password')).to.equal(true);
    expect(await hash.verify(stored, 'Password')).to.equal(false);
  });

  it('verifies no hash with a changed character in the digest', async () => {
    const hash = await open();
    const stored = withParameters('m=256,t=2,p=1');
    const first = stored.length - digest.length;
    const places = fc.integer({ min: first, max: stored.length - 1 });
    await fc.assert(
      fc.asyncProperty(places, fc.constantFrom(...'+/AZaz09$='), async (at, character) => {
        fc.pre(stored[at] !== character);
        return !(await hash.verify(stored.slice(0, at) + character + stored.slice(at + 1), 'password'));
      }),
    );
  });
});

import { expect } from 'chai';
import { StrengthEstimator } from '../../../../adapters/password-rules/strength-estimator.ts';
import {
  noKnownPasswords,
  type PasswordLimits,
  PasswordRules,
  unrated,
} from '../../../../application/passwords/password-rules.ts';
import { addressOf } from '../../../../sdk/contract/arbitraries.ts';
import { silentContext } from '../../../support/doubles/silent-context.ts';

const jane = addressOf('Jane.Doe@example.com');
const limits: PasswordLimits = { minLength: 8, maxLength: 64, minScore: null, notAddress: false };
const tooShort = 'must have at least 8 characters';
const tooLong = 'must have at most 64 characters';
const hasAddress = 'must not contain the email address, or the part before its @';

describe('PasswordRules', () => {
  const reasons = async (password: string, rules: PasswordRules, addresses = [jane]): Promise<readonly string[]> => {
    const failure = await rules.failureOf(password, addresses);
    if (failure === undefined) return [];
    expect(failure.code).to.equal('weak_password');
    expect(failure.errors?.map(({ path }) => path)).to.satisfy((paths: string[]) =>
      paths.every((p) => p === 'password'),
    );
    return failure.errors?.map(({ message }) => message) ?? [];
  };

  it('counts Unicode code points', async () => {
    const rules = new PasswordRules(limits, noKnownPasswords, unrated);
    for (const password of ['12345678', '🔑'.repeat(8), '        ', '🔑'.repeat(64), 'a'.repeat(64)])
      expect(await reasons(password, rules), password).to.deep.equal([]);
    for (const password of ['', '1234567', '🔑'.repeat(7)])
      expect(await reasons(password, rules), password).to.deep.equal([tooShort]);
    for (const password of ['a'.repeat(65), '🔑'.repeat(65)])
      expect(await reasons(password, rules), password).to.deep.equal([tooLong]);
  });

  it('refuses a password with the address or its local part, in any case, with notAddress', async () => {
    const rules = new PasswordRules({ ...limits, notAddress: true }, noKnownPasswords, unrated);
    for (const password of ['jane.doe@example.com', 'JANE.DOE@EXAMPLE.COM', '__jane.doe__', 'x jAnE.dOe 2024'])
      expect(await reasons(password, rules), password).to.deep.equal([hasAddress]);
    for (const password of ['jane and doe', 'example.com!'])
      expect(await reasons(password, rules), password).to.deep.equal([]);
    expect(await reasons('jane.doe@example.com', new PasswordRules(limits, noKnownPasswords, unrated))).to.deep.equal(
      [],
    );
  });

  it('finds a local part however it is written', async () => {
    const rules = new PasswordRules({ ...limits, notAddress: true }, noKnownPasswords, unrated);
    for (const [address, passwords] of [
      ['"jane doe"@example.com', ['jane doe 2024', '"jane doe"']],
      ['"jane\\"doe"@example.com', ['my jane"doe']],
      ['σίσυφος@example.com', ['ΣΊΣΥΦΟΣ 2024', 'σίσυφοσ 2024']],
      ['ren\u00e9e@example.com', ['my rene\u0301e']],
    ] as const)
      for (const password of passwords)
        expect(await reasons(password, rules, [addressOf(address)]), password).to.deep.equal([hasAddress]);
  });

  it('rates the address and the whole part before its @ as easy to guess', async () => {
    const { log } = silentContext;
    const strength = new StrengthEstimator(log);
    const rules = new PasswordRules({ ...limits, minScore: 3 }, noKnownPasswords, strength);
    try {
      for (const local of ['wolfgang.katzenbaum', 'wolfgang.von.katzenbaum-zu-hohenstein', '"wolfgang katzenbaum"']) {
        const address = addressOf(`${local}@example.com`);
        for (const password of [local, local.toUpperCase(), local.replaceAll('"', ''), address])
          expect(await reasons(password, rules, [address]), password).to.have.lengthOf(1);
      }
    } finally {
      await strength.close();
    }
  });

  it('allows a local part of fewer than four characters in a password, but neither alone nor with its domain', async () => {
    const rules = new PasswordRules({ ...limits, minLength: 1, notAddress: true }, noKnownPasswords, unrated);
    const short = [addressOf('Jo@example.com')];
    expect(await reasons('banjo player', rules, short)).to.deep.equal([]);
    for (const password of ['jo', 'JO', 'my jo@example.com'])
      expect(await reasons(password, rules, short), password).to.deep.equal([hasAddress]);
  });

  it('checks every address of the user', async () => {
    const rules = new PasswordRules({ ...limits, notAddress: true }, noKnownPasswords, unrated);
    for (const password of ['jane.doe 2024', 'j.smith 2024'])
      expect(await reasons(password, rules, [jane, addressOf('j.smith@example.com')])).to.deep.equal([hasAddress]);
  });

  it('tells all reasons at once', async () => {
    const known = { has: (password: string) => password === 'jane.d' };
    const related: (readonly string[])[] = [];
    const strength = {
      score: async (_: string, texts: readonly string[]) => {
        related.push(texts);
        return 1;
      },
      close: async () => undefined,
    };
    const rules = new PasswordRules({ ...limits, minScore: 3, notAddress: true }, known, strength);
    expect(await reasons('jane.d', rules, [addressOf('jane@example.com')])).to.deep.equal([
      tooShort,
      hasAddress,
      'is on the list of known passwords',
      'is too easy to guess (score 1 of 4, 3 is required)',
    ]);
    expect(related).to.deep.equal([['jane@example.com', 'jane', 'example', 'com']]);
  });

  it('accepts the required score and more', async () => {
    for (const score of [3, 4]) {
      const strength = { score: async () => score, close: async () => undefined };
      expect(
        await reasons('a password', new PasswordRules({ ...limits, minScore: 3 }, noKnownPasswords, strength)),
      ).to.deep.equal([]);
    }
  });
});

import { hash } from 'node:crypto';
import { defineAdapter } from '../kit/definition.ts';
import { block } from '../kit/option-block.ts';
import { canRepeat, cryptText, cryptValue, inSlices, type ParsedHash, VerifyOnlyHash } from './verify-only-hash.ts';

// The costs as base-2 logarithms of the rounds. phpass allows 30; 19 rounds, the default of passlib, take under a second.
const minCost = 7;
const maxCost = 19;
/** Takes no longer than a new hash of bcrypt or argon2 with default costs. */
const maxCheapCost = 14;

const pattern = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{22})$/;

/** The text of an MD5 digest: three bytes at a time, with the first one in the lowest bits. */
const textOf = (digest: Buffer): string =>
  Array.from({ length: Math.ceil(digest.length / 3) }, (_, group) =>
    cryptText(...digest.subarray(3 * group, 3 * group + 3).toReversed()),
  ).join('');

const parse = (stored: string): ParsedHash | undefined => {
  const [, costCharacter = '', salt, expected] = pattern.exec(stored) ?? [];
  const cost = cryptValue(costCharacter);
  if (salt === undefined || expected === undefined || cost < minCost || cost > maxCost) return undefined;
  const compute = async (password: string): Promise<Buffer> => {
    let digest = hash('md5', salt + password, 'buffer');
    const input = Buffer.concat([digest, Buffer.from(password)]);
    await inSlices(2 ** cost, () => {
      digest.copy(input);
      digest = hash('md5', input, 'buffer');
    });
    return Buffer.from(textOf(digest));
  };
  return { digest: Buffer.from(expected), expensive: cost > maxCheapCost, compute };
};

/** Verifies the portable hashes of phpass ($P$), which WordPress used, and phpBB with another prefix ($H$). */
export const phpass = defineAdapter({
  type: 'phpass',
  configuration: block({}),
  open: async () => new VerifyOnlyHash(parse, canRepeat),
});

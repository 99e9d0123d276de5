import { expect } from 'chai';
import { isRight } from 'fp-ts/lib/Either.js';
import { senderAddress } from '../../../../adapters/kit/addresses.ts';

const accepted = [
  'no-reply@example.com',
  'latchkey@localhost',
  '<no-reply@example.com>',
  'Example <no-reply@example.com>',
  'Example Inc. <no-reply@example.com>',
  'Übung 😀 <no-reply@example.com>',
  '"Example, \\"Inc\\"" <no-reply@example.com>',
];

const refused = [
  'Example',
  'no-reply@',
  'one@example.com, two@example.com',
  'One <one@example.com>, Two <two@example.com>',
  'Example, Inc <no-reply@example.com>',
  'Team: no-reply@example.com;',
  '"Example <no-reply@example.com>',
  '"Example"" <no-reply@example.com>',
  'Example <no-reply@example.com> (comment)',
  'Example\r\nBcc: eve@example.com <no-reply@example.com>',
  '"Example\nBcc: eve@example.com" <no-reply@example.com>',
  'no-reply@example.com\n',
  'no-reply@example.com\r\nBcc: eve@example.com',
  '',
  7,
];

describe('the option fromAddress', () => {
  for (const value of accepted) {
    it(`accepts ${value}`, () => {
      expect(isRight(senderAddress.decode(value))).to.equal(true);
    });
  }
  for (const value of refused) {
    it(`refuses ${JSON.stringify(value)}`, () => {
      expect(isRight(senderAddress.decode(value))).to.equal(false);
    });
  }
});

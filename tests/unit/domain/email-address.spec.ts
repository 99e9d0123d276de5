import { expect } from 'chai';
import * as fc from 'fast-check';
import { EmailAddress, keyOf, keyPrefix } from '../../../domain/email-address.ts';
import { addresses, addressOf, codePoint } from '../../../sdk/contract/arbitraries.ts';

const longest = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`;

describe('an email address', () => {
  for (const address of [
    'a@b',
    'jane@example.com',
    'jane.doe+tag@sub.example.co.uk',
    "!#$%&'*+/=?^_`{|}~-@example.com",
    'JANE@EXAMPLE.COM',
    'jäne@bücher.example',
    '用户@例子.广告',
    'jane@xn--bcher-kva.example',
    'jane@127.0.0.1',
    '"quoted local part"@example.com',
    '"a@b, <c>"@example.com',
    '"a\\"b\\\\"@example.com',
    `"${'a'.repeat(62)}"@example.com`,
    `${'a'.repeat(64)}@example.com`,
    `${'é'.repeat(32)}@example.com`,
    longest,
  ]) {
    it(`may be ${address.slice(0, 50)}`, () => expect(EmailAddress.is(address)).to.equal(true));
  }

  for (const [why, address] of [
    ['nothing', ''],
    ['no @', 'jane.example.com'],
    ['two @', 'jane@doe@example.com'],
    ['no local part', '@example.com'],
    ['no host', 'jane@'],
    ['a space', 'jane doe@example.com'],
    ['a space in front', ' jane@example.com'],
    ['a space behind', 'jane@example.com '],
    ['a line end', 'jane@example.com\n'],
    ['a header to inject', 'jane@example.com\r\nBcc: x@example.com'],
    ['a tab', 'jane\t@example.com'],
    ['NUL', 'jane\0@example.com'],
    ['DEL', 'jane\x7f@example.com'],
    ['a control character beyond ASCII', 'jane\u0085@example.com'],
    ['a no-break space', 'jane\u00a0@example.com'],
    ['a zero-width space', 'jane\u200b@example.com'],
    ['a right-to-left override', 'jane\u202e@example.com'],
    ['an unpaired surrogate', 'jane\ud800@example.com'],
    ['a dot in front', '.jane@example.com'],
    ['a dot behind', 'jane.@example.com'],
    ['two dots', 'jane..doe@example.com'],
    ['a comma', 'jane,doe@example.com'],
    ['brackets', '<jane@example.com>'],
    ['a display name', 'Jane <jane@example.com>'],
    ['an open quote', '"jane doe@example.com'],
    ['a quote after a quoted local part', '"jane" doe"@example.com'],
    ['a line break in quotes', '"jane\r\ndoe"@example.com'],
    ['a letter beyond ASCII in quotes', '"jané"@example.com'],
    ['a quoted local part of 65 octets', `"${'a'.repeat(63)}"@example.com`],
    ['a comment', 'jane(comment)@example.com'],
    ['an address literal', 'jane@[127.0.0.1]'],
    ['a backslash', 'jane\\@example.com'],
    ['a semicolon', 'jane;doe@example.com'],
    ['a colon', 'mailto:jane@example.com'],
    ['an underscore in the host', 'jane@ex_ample.com'],
    ['a host with a dot behind', 'jane@example.com.'],
    ['a label with a hyphen in front', 'jane@-example.com'],
    ['a label with a hyphen behind', 'jane@example-.com'],
    ['a label of 64', `jane@${'b'.repeat(64)}.com`],
    ['a local part of 65 octets', `${'a'.repeat(65)}@example.com`],
    ['a local part of 66 octets in 33 characters', `${'é'.repeat(33)}@example.com`],
    ['255 octets', `${longest}m`],
  ] as const) {
    it(`may not have ${why}`, () => expect(EmailAddress.is(address)).to.equal(false));
  }

  it('is at most 254 octets', () => expect(Buffer.byteLength(longest)).to.equal(254));

  for (const value of [undefined, null, 1, true, ['jane@example.com'], { address: 'jane@example.com' }]) {
    it(`is a text, not ${JSON.stringify(value)}`, () => expect(EmailAddress.is(value)).to.equal(false));
  }

  it('is decoded unchanged, and refused without being repeated', () => {
    expect(EmailAddress.decode('Jane@Example.com')).to.deep.include({ _tag: 'Right', right: 'Jane@Example.com' });
    const refused = EmailAddress.decode('jane@@example.com');
    expect(refused._tag === 'Left' && refused.left.map(({ message }) => message)).to.deep.equal([
      'must be a valid email address',
    ]);
  });

  it('never contains a character that separates or ends a header, an argument or a tag', () =>
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.constantFrom(...' \t\r\n\0<>()[]:;,"\\'), (text, special) => {
        expect(EmailAddress.is(`${text}${special}@example.com`)).to.equal(false);
        expect(EmailAddress.is(`jane@${text}${special}`)).to.equal(false);
      }),
    ));

  it('is decided quickly for any text', () => {
    // CPU time, because other processes share the machine.
    const began = process.cpuUsage();
    for (const text of ['a'.repeat(1e6), `${'a.'.repeat(1e6)}@b`, `a@${'b-'.repeat(1e6)}`, `a@${'b.'.repeat(126)}!`]) {
      expect(EmailAddress.is(text)).to.equal(false);
    }
    expect(process.cpuUsage(began).user / 1_000).to.be.below(100);
  });
});

describe('the key of an address', () => {
  it('has at most 508 octets and 254 characters, as docs/extending.md says', () => {
    const octets = (text: string) => new TextEncoder().encode(text).length;
    // The planes with letters and marks.
    const letters = Array.from({ length: 0x2_0000 }, (_, code) => String.fromCodePoint(code)).filter((text) =>
      /^[\p{L}\p{M}\p{N}]$/u.test(text),
    );
    const keys = letters.map((letter) => ({ letter, key: keyPrefix(letter) }));
    expect(keys.filter(({ letter, key }) => octets(key) > 2 * octets(letter))).to.deep.equal([]);
    expect(keys.filter(({ letter, key }) => key.length > octets(letter))).to.deep.equal([]);
  });

  it('is the same in any case of ASCII letters', () =>
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        fc.pre(EmailAddress.is(address));
        expect(keyOf(addressOf(address.toUpperCase()))).to.equal(keyOf(addressOf(address.toLowerCase())));
      }),
    ));

  it('is the key of its own lower case', () =>
    fc.assert(
      fc.property(addresses, (address) => {
        const key = keyOf(address);
        expect(keyOf(addressOf(key))).to.equal(key);
        expect(keyOf(addressOf(address.toLowerCase()))).to.equal(key);
      }),
    ));

  for (const [one, other] of [
    ['JÄNE@BÜCHER.example', 'jäne@bücher.example'],
    ['ΟΔΟΣ@example.com', 'οδος@example.com'],
    ['ΟΔΟΣ@example.com', 'οδοσ@example.com'],
    ['jos\u00e9@example.com', 'jose\u0301@example.com'],
    ['JOSE\u0301@example.com', 'jos\u00e9@example.com'],
  ] as const) {
    it(`is the same for ${one} and ${other}`, () => expect(keyOf(addressOf(one))).to.equal(keyOf(addressOf(other))));
  }

  // Letters that only look like another letter, or become one only in capitals, belong to different addresses.
  for (const [one, other] of [
    ['jane.doe@example.com', 'janedoe@example.com'],
    ['jane+tag@example.com', 'jane@example.com'],
    ['mıke@example.com', 'mike@example.com'],
    ['MİKE@example.com', 'mike@example.com'],
    ['ſam@example.com', 'sam@example.com'],
    ['straße@example.com', 'strasse@example.com'],
    ['jаne@example.com', 'jane@example.com'],
    ['ｊane@example.com', 'jane@example.com'],
  ] as const) {
    it(`differs for ${one} and ${other}`, () => expect(keyOf(addressOf(one))).to.not.equal(keyOf(addressOf(other))));
  }
});

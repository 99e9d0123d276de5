import { isIP } from 'node:net';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalAddress, subscriberOf } from '../../../../../adapters/http/server/client-address.ts';

const written = fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[0-9a-f:.%]{1,40}$/));

/** Another spelling of an IPv6 address (WHATWG URL, section 3.5). */
const respelt = (address: string): string =>
  isIP(address) === 6 && !address.includes('%') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

describe('canonicalAddress', () => {
  it('returns one form for all spellings of an address, and undefined for other texts', () => {
    for (const [spelling, canonical] of [
      ['192.0.2.1', '192.0.2.1'],
      ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['::FFFF:c000:0201', '192.0.2.1'],
      ['fe80::1%eth0', 'fe80::1'],
      ['::192.0.2.1', '::c000:201'],
      ['127.1', undefined],
      ['0x7f000001', undefined],
      ['3221225985', undefined],
      ['192.0.2.01', undefined],
      ['192.0.2.1:80', undefined],
      ['::%', undefined],
      ['', undefined],
    ] as const)
      expect(canonicalAddress(spelling), spelling).to.equal(canonical);
    fc.assert(
      fc.property(written, (address) => {
        const canonical = canonicalAddress(address);
        expect(canonical !== undefined, address).to.equal(isIP(address) !== 0);
        if (canonical === undefined) return;
        expect(canonicalAddress(canonical)).to.equal(canonical);
        expect(canonicalAddress(respelt(address)), address).to.equal(canonical);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('subscriberOf', () => {
  it('returns the IPv4 address, also of a mapped or translated one', () => {
    for (const spelling of [
      '192.0.2.1',
      '::ffff:192.0.2.1',
      '::ffff:c000:201',
      '0:0:0:0:0:ffff:192.0.2.1',
      '0000:0000:0000:0000:0000:FFFF:C000:0201',
      '64:ff9b::192.0.2.1',
    ])
      expect(subscriberOf(spelling), spelling).to.equal('192.0.2.1');
    expect(subscriberOf('::ffff:c000:202')).to.equal('192.0.2.2');
    expect(subscriberOf('64:ff9b::c000:202')).to.equal('192.0.2.2');
  });

  it('returns the /64 network of an IPv6 address', () => {
    const spellings = ['2001:db8:8::1', '2001:0DB8:8:0:ffff::2', '2001:db8:8::192.0.2.1'];
    expect(new Set(spellings.map(subscriberOf))).to.have.property('size', 1);
    expect(subscriberOf('2001:db8:8:1::1')).not.to.equal(subscriberOf('2001:db8:8::1'));
    // Only 64:ff9b::/96 is known to carry IPv4 in its last bits, unlike 64:ff9b:1::/48 (RFC 8215).
    expect(subscriberOf('64:ff9b:1::1')).to.equal('64:ff9b:1:0::/64');
    expect(subscriberOf('64:ff9b::1:0:1')).to.equal('64:ff9b:0:0::/64');
    for (const none of ['', 'somewhere', '192.0.2.1:80']) expect(subscriberOf(none)).to.equal(undefined);
  });
});

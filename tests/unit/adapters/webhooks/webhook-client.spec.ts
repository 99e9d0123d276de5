import { expect } from 'chai';
import { retryAfterMsOf } from '../../../../adapters/webhooks/webhook-client.ts';

describe('the Retry-After header of a webhook', () => {
  it('is read as seconds or as a date, up to an hour', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMsOf('120', now)).to.equal(120_000);
    expect(retryAfterMsOf('Thu, 01 Jan 2026 00:01:00 GMT', now)).to.equal(60_000);
    expect(retryAfterMsOf('999999999', now)).to.equal(3_600_000);
  });

  it('is ignored when it is missing, malformed or in the past', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    for (const header of [null, '', 'soon', '-5', 'Wed, 31 Dec 2025 00:00:00 GMT'])
      expect(retryAfterMsOf(header, now), String(header)).to.equal(0);
  });
});

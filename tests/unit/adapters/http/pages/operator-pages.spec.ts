import { expect } from 'chai';
import { relativeTime } from '../../../../../adapters/http/pages/operator-pages.ts';

const now = new Date('2026-01-01T12:00:00Z');
const inSeconds = (seconds: number): string => relativeTime(now.getTime() + seconds * 1_000, now.getTime());

describe('relative times', () => {
  it('say how long ago a time was, or how far ahead it is', () => {
    expect([-90, -5, 0, 5, 150].map(inSeconds)).to.deep.equal([
      '1 minute ago',
      'just now',
      'just now',
      'in a moment',
      'in 2 minutes',
    ]);
  });
});

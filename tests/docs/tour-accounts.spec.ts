import { expect } from 'chai';
import { testTour } from './guided-tour.ts';

testTour('tour-accounts.md', 30, (output) => {
  const [, writes] = /operation="replace"} (\d+)/.exec(output) ?? [];
  expect(Number(writes), 'writes for forty patches, some of which lost a race').to.be.above(40);
});

import { expect } from 'chai';

/** Administrators get positions in the links of pages, of limited length. */
const maxPositionBytes = 768;

/** Expects that `next` of a page can be the cursor of the next one. */
export const expectPosition = (next: string | undefined): void => {
  if (next === undefined) return;
  expect(next).to.not.equal('');
  expect(next.isWellFormed(), 'a position in well-formed Unicode').to.equal(true);
  expect(Buffer.byteLength(next), 'the bytes of a position').to.be.at.most(maxPositionBytes);
};

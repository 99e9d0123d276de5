import { expect } from 'chai';
import { stackFrames } from '../../../application/fault.ts';

describe('the frames of a stack', () => {
  it('begin where the error was made', () => {
    const frames = stackFrames(new RangeError('one line'), 3);
    expect(frames).to.have.lengthOf(3);
    expect(frames[0]).to.match(/^at .*stack-frames\.spec\.ts:\d+:\d+/);
  });

  it('have no line of the message, also of one that looks like a frame', () => {
    const message = 'canary\ncanary\n    at canary (/canary.js:1:1)\n$& canary';
    expect(stackFrames(new RangeError(message), 8).join()).to.not.include('canary').and.not.be.empty;
  });

  it('are none without a stack', () => {
    expect(stackFrames(Object.assign(new Error('canary'), { stack: undefined }), 8)).to.deep.equal([]);
  });
});

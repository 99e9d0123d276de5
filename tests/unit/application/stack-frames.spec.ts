import { expect } from 'chai';
import { Fault, reasonOf, stackFrames } from '../../../application/fault.ts';

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

describe('the reason of a failure', () => {
  it('is the message of a Fault', () => {
    expect(reasonOf(new Fault('store_rejected', 'the disk is full'))).to.equal('the disk is full');
  });

  it('is the kind and the place of any other error, without its message', () => {
    expect(reasonOf(new RangeError('canary'))).to.match(
      /^unexpected RangeError at .*stack-frames\.spec\.ts:\d+:\d+\)?$/,
    );
    expect(reasonOf(Object.assign(new Error('canary'), { stack: undefined }))).to.equal('unexpected Error');
  });

  it('is the type of what is no error', () => {
    expect([reasonOf('canary'), reasonOf(undefined)]).to.deep.equal(['unexpected string', 'unexpected undefined']);
  });
});

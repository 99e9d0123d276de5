import { expect } from 'chai';
import { problems } from '../../../../../adapters/http/api/problems.ts';
import { problemDocument, refusal, refusalHeaders } from '../../../../../adapters/http/api/refusal.ts';

describe('a refusal', () => {
  it('has the headers of its code, and its own', () => {
    expect(refusalHeaders(refusal('wrong_password'))).to.deep.equal({ 'WWW-Authenticate': 'Password realm="user"' });
    expect(refusalHeaders(refusal('contended'))).to.deep.equal({ 'Retry-After': '1' });
    expect(refusalHeaders({ code: 'too_many_attempts', retryAfterSeconds: 30 })).to.deep.equal({ 'Retry-After': '30' });
    expect(refusalHeaders({ code: 'method_not_allowed', headers: { Allow: 'GET' } })).to.deep.equal({ Allow: 'GET' });
    expect(refusalHeaders(refusal('user_not_found'))).to.deep.equal({});
  });

  it('is a problem document with the texts of its code', () => {
    const { status, title, detail } = problems.user_exists;
    expect(JSON.parse(problemDocument(refusal('user_exists'), 'an id'))).to.deep.equal({
      type: 'urn:latchkey:problem:user_exists',
      title,
      status,
      detail,
      code: 'user_exists',
      requestId: 'an id',
    });
  });

  it('lists at most 50 errors with paths of at most 200 characters', () => {
    const errors = Array.from({ length: 60 }, () => ({ path: 'x'.repeat(300), message: 'is required' }));
    const document = JSON.parse(problemDocument(refusal('invalid_body', errors)));
    expect(document.errors).to.have.length(50);
    expect(document.errors[0]).to.deep.equal({ path: 'x'.repeat(200), message: 'is required' });
  });
});

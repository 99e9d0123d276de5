import { expect } from 'chai';
import { newAddress } from './client.ts';
import type { Harness } from './harness.ts';

/** The id of a request: given or made, and where it is found. */
export const requestIds = (harness: Harness): void => {
  describe('the id of a request', () => {
    const refused = async (headers: Readonly<Record<string, string>>) => {
      const { client, log } = await harness.service();
      const answer = await client.get('/users', { query: { email: newAddress() }, password: 'any', headers });
      expect(answer.refusal).to.equal('404 user_not_found');
      return { id: answer.problem.requestId ?? '', header: answer.headers.get('x-request-id'), log: await log() };
    };

    it('is the X-Request-Id of the caller, in the problem document, its header and the line of the log', async () => {
      const given = 'order-4711/step:2';
      const { id, header, log } = await refused({ 'X-Request-Id': given });
      expect([id, header]).to.deep.equal([given, given]);
      expect(log.filter((line) => line.includes(`request: '${given}'`))).to.have.lengthOf(1);
    });

    it('is the trace of a traceparent when there is no X-Request-Id', async () => {
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const { id } = await refused({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
      expect(id).to.equal(trace);
    });

    it('is made when there is none, another one each time, and is the one in the log', async () => {
      const [first, second] = [await refused({}), await refused({})];
      expect(first.id)
        .to.match(/^[\da-f-]{36}$/)
        .and.not.equal(second.id);
      expect(second.log.filter((line) => line.includes(second.id))).to.have.lengthOf(1);
    });

    for (const [what, headers] of Object.entries({
      'with a space': { 'X-Request-Id': 'a b' },
      'that is markup': { 'X-Request-Id': '<script>' },
      'that is too long': { 'X-Request-Id': 'a'.repeat(129) },
      'that is no trace': { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
    })) {
      it(`is made when the one given is one ${what}`, async () => {
        const { id } = await refused(headers);
        expect(id).to.match(/^[\da-f-]{36}$/);
      });
    }
  });
};

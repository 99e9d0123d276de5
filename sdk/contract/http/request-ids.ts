import { expect } from 'chai';
import { newAddress } from './client.ts';
import type { Harness } from './harness.ts';

/** Request ids: received or generated. */
export const requestIds = (harness: Harness): void => {
  describe('the request id', () => {
    const refused = async (headers: Readonly<Record<string, string>>) => {
      const { client, log } = await harness.service();
      const response = await client.get('/users', { query: { email: newAddress() }, password: 'any', headers });
      expect(response.refusal).to.equal('404 user_not_found');
      return { id: response.problem.requestId ?? '', header: response.headers.get('x-request-id'), log: await log() };
    };

    it('is the X-Request-Id of the request, in the problem document, the header and the log line', async () => {
      const given = 'order-4711/step:2';
      const { id, header, log } = await refused({ 'X-Request-Id': given });
      expect([id, header]).to.deep.equal([given, given]);
      expect(log.filter((line) => line.includes(`request: '${given}'`))).to.have.lengthOf(1);
    });

    it('is the trace id of traceparent without an X-Request-Id', async () => {
      const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
      const { id } = await refused({ traceparent: `00-${trace}-00f067aa0ba902b7-01` });
      expect(id).to.equal(trace);
    });

    it('is generated otherwise, unique for each request, and appears in the log', async () => {
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
      it(`is generated when the received one is one ${what}`, async () => {
        const { id } = await refused(headers);
        expect(id).to.match(/^[\da-f-]{36}$/);
      });
    }
  });
};

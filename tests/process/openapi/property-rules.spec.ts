import { expect } from 'chai';
import { type DescribedService, describedService, password, send } from './described-service.ts';

const allowed = [
  { name: 'name', type: 'string' },
  { name: 'visits', type: 'integer' },
  { name: 'rating', type: 'double' },
  { name: 'newsletter', type: 'boolean' },
  { name: 'tags', type: 'list' },
  { name: 'settings', type: 'map' },
  { name: 'note', type: 'anything' },
];
const full = { name: 'Jane', visits: 3, rating: 0.5, newsletter: false, tags: [], settings: {}, note: null };
const email = { address: 'jane@example.com' };
const at = `?email=${email.address}`;

const removeJane = async (url: string): Promise<void> => {
  for (const address of [email.address, 'jane.doe@example.com'])
    for (const secret of [password, 'a better horse'])
      await send(url, 'DELETE', `/users?email=${address}`, { headers: { password: secret } });
};

/** What the service and the document say of a body: whether it is accepted. */
const judgements = async ({ url, document, judge }: DescribedService, method: string, body: object) => {
  const { schema } = document.paths['/users']?.[method]?.requestBody?.content['application/json'] ?? {};
  const { status } = await send(url, method.toUpperCase(), method === 'post' ? '/users' : `/users${at}`, { body });
  return { isServed: status < 300, isDeclared: judge(schema, body).length === 0 };
};

describe('the OpenAPI document with rules for custom properties', () => {
  it('has the range of an integer, also in the notation with an exponent', async () => {
    const service = await describedService({ properties: { allowed } });
    const { schema } = service.document.paths['/users']?.post?.requestBody?.content['application/json'] ?? {};
    for (const [visits, isAllowed] of [
      ['9007199254740991', true],
      ['1e15', true],
      ['3.0', true],
      ['1e17', false],
      ['-1.5e300', false],
    ] as const) {
      const body = `{"email":{"address":"jane@example.com"},"password":"${password}","visits":${visits}}`;
      await removeJane(service.url);
      expect((await send(service.url, 'POST', '/users', { body })).status, visits).to.equal(isAllowed ? 201 : 400);
      expect(service.judge(schema, JSON.parse(body)).length === 0, visits).to.equal(isAllowed);
    }
    await service.installation.dispose();
  });

  for (const allowSubset of [true, false])
    for (const allowSuperset of [true, false])
      it(`says what the service accepts: allowSubset ${allowSubset}, allowSuperset ${allowSuperset}`, async () => {
        const service = await describedService({ properties: { allowSubset, allowSuperset, allowed } });
        const { url, document } = service;
        const whole = { email, password, ...full };
        const { visits: _, ...withoutVisits } = whole;
        try {
          const examples = (method: string) =>
            Object.values(document.paths['/users']?.[method]?.requestBody?.content['application/json']?.examples ?? {});
          for (const method of ['post', 'put', 'patch']) {
            expect(examples(method), method).to.not.deep.equal([]);
            const bodies = [
              ...examples(method).map(({ value }) => Object(value)),
              ...(method === 'patch' ? [{ visits: null }, { visits: 'many' }] : []),
              ...(method === 'patch'
                ? []
                : [whole, withoutVisits, { ...whole, plan: 'trial' }, { ...whole, lastUpdateTime: 1 }]),
              ...(method === 'patch'
                ? []
                : allowed.map(({ name }) => ({ ...whole, [name]: name === 'tags' ? 'x' : [1] }))),
            ];
            for (const [index, body] of bodies.entries()) {
              await removeJane(url);
              if (method !== 'post') await send(url, 'POST', '/users', { body: whole });
              const { isServed, isDeclared } = await judgements(service, method, body);
              expect(isDeclared, `${method} ${JSON.stringify(body)}`).to.equal(isServed);
              if (index < examples(method).length) expect(isServed, `${method} example ${index}`).to.equal(true);
            }
          }
        } finally {
          await service.installation.dispose();
        }
      });
});

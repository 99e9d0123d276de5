import { expect } from 'chai';
import * as fc from 'fast-check';
import { startLatchkey, type TestLatchkey } from '../../../sdk/testing/index.ts';
import {
  type Answer,
  asker,
  at,
  configurationWith,
  everything,
  fewChanges,
  fewLists,
  fewProperties,
  newUserWith,
  pathsOf,
  textsIn,
  userWith,
} from '../../support/property-access.ts';

describe('keys with properties', () => {
  let latchkey: TestLatchkey | undefined;
  afterEach(() => latchkey?.stop());

  it('never see or change more, for all users, keys and requests, and otherwise are like others', async function () {
    this.timeout(60_000);
    const lists = fc.sample(fewLists, 30);
    latchkey = await startLatchkey(
      configurationWith(Object.fromEntries(lists.map((one, index) => [`key-${index}`, one]))),
    );
    const ask = asker(latchkey);
    let users = 0;
    const requests = fc.oneof(
      fc.record({ method: fc.constantFrom('PUT', 'POST'), sent: fewProperties }),
      fc.record({ method: fc.constant('PATCH'), sent: fewChanges }),
      fc.record({ method: fc.constantFrom('GET', 'DELETE', '', '/reset'), sent: fc.constant(undefined) }),
    );
    const send = (application: string, address: string, method: string, sent = '') => {
      const named = encodeURIComponent(address);
      if (method === 'POST') return ask(application, method, '/users', newUserWith(address, sent));
      if (method === 'PUT') return ask(application, method, '/users', userWith(address, sent));
      if (method === 'PATCH') return ask(application, method, at(address), sent);
      if (method === 'GET' || method === 'DELETE') return ask(application, method, at(address));
      return ask(application, 'POST', `/verify${method}?email=${named}`);
    };
    const check = async (properties: string, index: number, method: string, sent: string | undefined) => {
      const { read = null, write = null } = lists[index] ?? {};
      const sees = (name: string) => read?.includes(name) ?? true;
      const writes = (name: string) => write?.includes(name) ?? true;
      const [address, twin] = [`user-${users++}@example.com`, `twin-${users}@example.com`];
      if (method !== 'POST') await ask(everything, 'POST', '/users', newUserWith(address, properties));
      const before = await ask(everything, 'GET', at(address));
      const answer = await send(`key-${index}`, address, method, sent);
      const after = method === 'DELETE' ? before : await ask(everything, 'GET', at(address));
      const request = textsIn(sent ?? '{}');
      const isRepeated = (name: string) =>
        method === 'PUT' && sees(name) && before.properties.get(name) === request.get(name);
      const denied = [...request.keys()].filter((name) => !writes(name) && !isRepeated(name));
      if (denied.length > 0) {
        expect([answer.status, pathsOf(answer)]).to.deep.equal([403, denied]);
        expect([after.status, after.etag, [...after.properties]]).to.deep.equal([
          before.status,
          before.etag,
          [...before.properties],
        ]);
        return;
      }
      expect(answer.etag).to.equal(after.etag);
      expect([...answer.properties]).to.deep.equal([...after.properties].filter(([name]) => sees(name)));
      for (const [name, text] of before.properties) {
        if (!writes(name)) expect(after.properties.get(name), name).to.equal(text);
        if (!sees(name) && !request.has(name)) expect(after.properties.get(name), name).to.equal(text);
      }
      // The same request of a client that may do everything, about a user with what this one may see and write.
      const own = [...before.properties].filter(([name]) => sees(name) && writes(name));
      const ownText = `{${own.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
      if (method !== 'POST') await ask(everything, 'POST', '/users', newUserWith(twin, ownText));
      const likewise = await send(everything, twin, method, sent);
      const ofOwn = ({ properties: all }: Answer) => [...all].filter(([name]) => sees(name) && writes(name));
      expect([answer.status, ofOwn(answer)]).to.deep.equal([likewise.status, ofOwn(likewise)]);
    };
    const keys = fc.nat({ max: lists.length - 1 });
    await fc.assert(
      fc.asyncProperty(fewProperties, keys, requests, (properties, key, { method, sent }) =>
        check(properties, key, method, sent),
      ),
      { numRuns: 300 },
    );
  });
});

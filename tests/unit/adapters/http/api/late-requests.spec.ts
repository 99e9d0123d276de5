import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect } from 'chai';
import Koa, { type Context } from 'koa';
import { userRoutes } from '../../../../../adapters/http/api/accounts/user-routes.ts';
import { email } from '../../../../../adapters/http/api/parameters.ts';
import { serveRoute } from '../../../../../adapters/http/api/route.ts';
import type { Route } from '../../../../../adapters/http/api/route-types.ts';
import { verificationRoutes } from '../../../../../adapters/http/api/verification/verification-routes.ts';
import { basicAuthenticator } from '../../../../../adapters/http/authentication/authenticator.ts';
import { keyOf } from '../../../../../domain/email-address.ts';
import { addressOf } from '../../../../../sdk/contract/arbitraries.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../../../application/wired-service.ts';
import { routeOptions } from './route-options.ts';

const timeoutMs = 600_000;

const routesOf = ({ commands, queries }: Service): readonly Route[] => [
  ...userRoutes(commands, queries, routeOptions),
  ...verificationRoutes(commands, queries, routeOptions),
];

const newAddress = addressOf('new@example.com');
const newKey = keyOf(newAddress);

/** A body that changes something, for the routes that have one. */
const bodies: Readonly<Record<string, object>> = {
  createUser: { email: { address: newAddress }, password: 'secret' },
  updateUser: { email: { address: jane }, name: 'Another' },
  patchUser: { name: 'Another' },
};

/** A request that has waited for most of the operation timeout. */
const lateRequest = ({ method, path, operation }: Route): Context => {
  const request = new IncomingMessage(new Socket());
  const { [operation]: body } = bodies;
  const text = body === undefined ? '' : JSON.stringify(body);
  request.method = method.toUpperCase();
  const query = operation === 'createUser' ? '' : `?${email.name}=${encodeURIComponent(janeKey)}&token=a%20token`;
  request.url = path + query;
  request.headers = {
    host: 'localhost',
    password: 'secret',
    ...(text !== '' && { 'content-type': 'application/json', 'content-length': String(text.length) }),
  };
  request.push(text);
  request.push(null);
  const ctx = new Koa().createContext(request, new ServerResponse(request));
  ctx.state.startedMs = performance.now() - 0.95 * timeoutMs;
  return ctx;
};

const operations = [
  ...Object.keys(bodies),
  'deleteUser',
  'sendVerification',
  'confirmVerification',
  'resetVerification',
];

describe('a request that waited for most of the operation timeout', () => {
  for (const operation of operations) {
    it(`writes nothing, because its client may have got 503 by then: ${operation}`, async () => {
      const service = await openService({ timeoutMs });
      const route = routesOf(service).find((candidate) => candidate.operation === operation);
      if (route === undefined) throw new Error('no such route');
      const token = { address: jane, verification: { verified: operation === 'resetVerification', token: 'a token' } };
      await withJane(service, { email: token });
      // A create of an address without a settled read may be applied after its 503 (docs/reliability.md).
      await service.queries.dispatch({
        type: 'GetUser',
        key: newKey,
        supplied: 'secret',
        isSettled: true,
      });
      const before = [await service.store.now(janeKey), await service.store.now(newKey)];
      const serve = serveRoute({ ...route, requires: 'nothing' }, basicAuthenticator([]), timeoutMs);
      expect(await rejection(serve(lateRequest(route)))).to.include({ code: 'timed_out' });
      expect([await service.store.now(janeKey), await service.store.now(newKey)]).to.deep.equal(before);
    });
  }
});

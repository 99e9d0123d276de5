import { expect } from 'chai';
import type { Context } from 'koa';
import { email, password } from '../../../../../adapters/http/api/parameters.ts';
import { endpoint } from '../../../../../adapters/http/api/route.ts';
import { type Route, ruledOut } from '../../../../../adapters/http/api/route-types.ts';
import { userRoutes } from '../../../../../adapters/http/api/user-routes.ts';
import { userResponses } from '../../../../../adapters/http/api/user-schema.ts';
import { verificationRoutes } from '../../../../../adapters/http/api/verification-routes.ts';
import { basicAuthenticator } from '../../../../../adapters/http/authentication/authenticator.ts';
import { userJson } from '../../../../../adapters/kit/user-json.ts';
import { rejection } from '../../../../../sdk/contract/outcomes.ts';
import { jane, janeKey, openService, type Service, withJane } from '../../../application/wired-service.ts';

const timeoutMs = 600_000;

const routesOf = ({ commands, queries }: Service): readonly Route[] => {
  const options = {
    caller: { supplied: password },
    wrongPassword: ['wrong_password', 'user_disabled', 'password_change_required'],
    weakPassword: ruledOut,
    unknownUser: ['user_not_found'],
    writeUser: userJson,
    describeUser: userResponses(true),
    publicUrl: null,
    successPage: { html: '', policy: '' },
    wrongToken: ['token_mismatch'],
    tooSoon: ruledOut,
    confirmPage: null,
  } as const;
  return [...userRoutes(commands, queries, options), ...verificationRoutes(commands, queries, options)];
};

/** A request that has waited for most of the operation timeout, as far as routes without a body read it. */
const lateRequest = (): Context => {
  const req = { headers: { password: 'secret' }, rawHeaders: [] };
  const querystring = `${email.name}=${encodeURIComponent(janeKey)}&token=a%20token`;
  return {
    state: { startedMs: performance.now() - 0.95 * timeoutMs },
    req,
    request: { req, querystring, protocol: 'http', host: 'localhost' },
    headerSent: true,
  } as unknown as Context;
};

describe('a request that waited for most of the operation timeout', () => {
  for (const operation of ['deleteUser', 'sendVerification', 'confirmVerification', 'resetVerification']) {
    it(`writes nothing, because its client may have got 503 by then: ${operation}`, async () => {
      const service = await openService({ timeoutMs });
      const route = routesOf(service).find((candidate) => candidate.operation === operation);
      if (route === undefined) throw new Error('no such route');
      const token = { address: jane, verified: operation === 'resetVerification', verificationToken: 'a token' };
      await withJane(service, { email: token });
      const before = await service.store.now(janeKey);
      const serve = endpoint({ ...route, authenticated: false }, basicAuthenticator([], 'test'), timeoutMs);
      expect(await rejection(serve(lateRequest()))).to.include({ code: 'timed_out' });
      expect(await service.store.now(janeKey)).to.deep.equal(before);
    });
  }
});

import { expect } from 'chai';
import type { Request } from 'koa';
import { userRoutes } from '../../../../../adapters/http/api/accounts/user-routes.ts';
import type { Route } from '../../../../../adapters/http/api/route-types.ts';
import { verificationRoutes } from '../../../../../adapters/http/api/verification/verification-routes.ts';
import { openApiDocument } from '../../../../../adapters/http/openapi/openapi-document.ts';
import { readJsonObject } from '../../../../../adapters/kit/exact-json.ts';
import { sha256 } from '../../../../../adapters/password-hashes/sha256.ts';
import { Fault, type FaultCode } from '../../../../../application/fault.ts';
import { rightOf } from '../../../../../sdk/contract/outcomes.ts';
import { RecordingHash } from '../../../../support/doubles/recording-hash.ts';
import { silentContext } from '../../../../support/doubles/silent-context.ts';
import { openService, type Service, withJane } from '../../../application/wired-service.ts';
import { routeOptions } from '../api/route-options.ts';

class OverloadableHash extends RecordingHash {
  isOverloaded = false;

  override hash(password: string): Promise<string> {
    return this.isOverloaded ? Promise.reject(new Fault('overloaded', 'too much to do')) : super.hash(password);
  }

  override verify(stored: string, password: string): Promise<boolean> {
    return this.isOverloaded
      ? Promise.reject(new Fault('overloaded', 'too much to do'))
      : super.verify(stored, password);
  }
}

const routesOf = ({ commands, queries }: Pick<Service, 'commands' | 'queries'>): readonly Route[] => [
  ...userRoutes(commands, queries, routeOptions),
  ...verificationRoutes(commands, queries, routeOptions),
];

/** Breaks one collaborator of the use cases, or none. */
const obstacles: readonly ((service: Service, hash: OverloadableHash) => void)[] = [
  ({ store }) => {
    store.fault = new Fault('store_unavailable', 'down');
  },
  ({ store }) => {
    store.fault = new Fault('store_rejected', 'refused');
  },
  (_, hash) => {
    hash.isOverloaded = true;
  },
  ({ mailer }) => {
    mailer.failing = true;
  },
];

const body = '{"email":{"address":"jane@example.com"},"password":"secret"}';
const request = {
  querystring: 'email=jane%40example.com&token=a',
  protocol: 'http',
  host: 'localhost',
  req: { headers: { password: 'secret' }, rawHeaders: [] },
  ctx: { state: {} },
} as unknown as Request;

/** The Fault of a request to the route at `index` while a collaborator is broken; undefined without one. */
const faultOf = async (index: number, obstruct: (typeof obstacles)[number]): Promise<FaultCode | undefined> => {
  const hash = new OverloadableHash(await sha256.open({}, silentContext));
  const service = await openService({ hash });
  const route = routesOf(service)[index];
  if (route?.operation !== 'createUser') await withJane(service);
  obstruct(service, hash);
  try {
    await route?.run(request, rightOf(readJsonObject(body)), performance.now());
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
};

const information = {
  title: '',
  version: '',
  description: '',
  contact: null,
  contactEmail: null,
  license: '',
  licenseUrl: '',
};

/** The codes in the examples of an operation. */
const documentedCodes = (routes: readonly Route[], { path, method }: Route): readonly string[] => {
  const context = {
    security: 'none',
    publicUrl: null,
    user: {},
    keysOption: 'auth.keys',
    earlierCodes: () => [],
  } as const;
  const document = JSON.parse(JSON.stringify(openApiDocument(routes, information, context)));
  const { responses }: { readonly responses: Readonly<Record<string, { readonly content?: Record<string, object> }>> } =
    document.paths[path][method];
  return Object.values(responses).flatMap(({ content }) => {
    const problem = content?.['application/problem+json'];
    return problem !== undefined && 'examples' in problem ? Object.keys(problem.examples ?? {}) : [];
  });
};

const faultCodes = ['store_rejected', 'store_unavailable', 'overloaded', 'mail_failed', 'timed_out'];

const routes = routesOf(await openService());

describe('the documented Faults', () => {
  for (const [index, route] of routes.entries()) {
    it(`${route.method.toUpperCase()} ${route.path}: exactly the Faults that its use case can throw`, async () => {
      const thrown = new Set<string>();
      for (const obstruct of obstacles) {
        const code = await faultOf(index, obstruct);
        // The operation timeout applies to every use case that waits for a port.
        if (code !== undefined) thrown.add(code).add('timed_out');
      }
      const documented = documentedCodes(routes, route).filter((code) => faultCodes.includes(code));
      expect(documented).to.have.members([...thrown]);
    });
  }
});

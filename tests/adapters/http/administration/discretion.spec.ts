import { expect } from 'chai';
import { discreet } from '../../../../adapters/http/administration/discretion.ts';

describe('the log of the administration', () => {
  const paths = {
    '/admin/users/jane@example.com': '/admin/users/{address}',
    '/admin/users/jane%40example.com/reset': '/admin/users/{address}/reset',
    '/admin/users/jane': '/admin/users/{address}',
    '/admin/users': '/admin/users',
    '/admin//users/jane@example.com': '/admin//users/{address}',
    '/admin/users//jane@example.com': '/admin/users//{address}',
    '/admin/Users/jane%40example.com/': '/admin/Users/{address}/',
  };
  for (const [path, logged] of Object.entries(paths))
    it(`has no address: ${path}`, () => {
      const kept: unknown[] = [];
      const keep = (fields: object): void => void kept.push(fields);
      const log = discreet({ info: keep, warn: keep, error: keep });
      log.info({ path, status: 404 }, 'request');
      log.warn({}, 'a warning');
      expect(kept).to.deep.equal([{ path: logged, status: 404 }, {}]);
    });
});

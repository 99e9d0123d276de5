import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import Koa from 'koa';
import { omissiblePassword } from '../../adapters/http/api/accounts/password-header.ts';
import { settled } from '../../adapters/http/api/accounts/user-routes.ts';
import { ifMatch, languagesOfMails } from '../../adapters/http/api/parameters.ts';
import { jsonBody, patchBody } from '../../adapters/http/api/request-body.ts';
import { prefersJson, prefersPage } from '../../adapters/http/pages/error-page.ts';
import { canonicalAddress, subscriberOf } from '../../adapters/http/server/client-address.ts';
import { pathOf } from '../../adapters/http/server/connections.ts';
import { requestIdOf } from '../../adapters/http/server/request-id.ts';
import { type ProxyTrust, TrustedProxies } from '../../adapters/http/server/trusted-proxies.ts';
import { languageLookup } from '../../adapters/languages/language-lookup.ts';
import { assert, errorTexts, type FuzzTarget } from './fuzz-target.ts';

const maxBodyBytes = 1024 * 1024;
const appWith = (trust: ProxyTrust): Koa => {
  const app = new Koa();
  new TrustedProxies(trust).addTo(app);
  return app;
};
const byNumber = appWith(2);
const apps = [byNumber, appWith(['127.0.0.0/8', '10.0.0.0/8', '::1'])];
const lookup = languageLookup(['en', 'de', 'de-AT', 'zh-Hant'], 'en');

/** A request as Node.js would have it: with the header fields that its parser accepts. */
const requestWith = (app: Koa, fields: string) => {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' });
  const message = new IncomingMessage(socket);
  message.url = '/';
  for (const line of fields.split('\n')) {
    const [name = '', ...rest] = line.split(':');
    const value = rest.join(':').trim();
    const isField = /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t -~\x80-\xff]*$/.test(value) && rest.length > 0;
    if (!isField || Object.hasOwn(message.headers, name.toLowerCase())) continue;
    message.rawHeaders.push(name, value);
    message.headers[name.toLowerCase()] = value;
  }
  return app.createContext(message, new ServerResponse(message));
};

/** A request without headers. */
export const anyRequest = requestWith(byNumber, '').request;

const inHeaders = [ifMatch, settled, languagesOfMails, omissiblePassword];
const known = errorTexts();

const encodings = ['identity', 'gzip', 'deflate', 'br', 'GZIP', 'compress'] as const;
/** A number of an encoding, and a body in it. */
const encoded = (encoding: (typeof encodings)[number], body: Buffer): Buffer =>
  Buffer.concat([Buffer.of(encodings.indexOf(encoding)), body]);
const json = Buffer.from('{"email":{"address":"jane@example.com"},"password":"p"}');

/** What clients, and whatever stands between, send as targets and headers, and bodies as the headers describe them. */
export const headerTargets: Readonly<Record<string, FuzzTarget>> = {
  targets: {
    seeds: [
      '/users?email=jane%40example.com',
      '//a@[b#',
      '*',
      'http://jane:p@[::1]:8080//users/?a=b#c',
      'ftp://localhost/users',
      '/\\\\[%zz;x=y?#',
    ],
    run: (data) => {
      const ctx = requestWith(byNumber, 'Host: localhost');
      // The parser of Node.js accepts these characters alone.
      ctx.req.url = data.toString('latin1').replace(/[^!-~]/g, '');
      const path = pathOf(ctx.req);
      if (path === undefined) return;
      ctx.req.url = path;
      const end = path.indexOf('?');
      assert(ctx.path === (end === -1 ? path : path.slice(0, end)), 'a path ends before the query');
      assert(ctx.querystring === (end === -1 ? '' : path.slice(end + 1)), 'a query is all after the path');
    },
  },
  headers: {
    seeds: [
      'If-Match: W/"a", "b" ,"c"\nPrefer: respond-async, settled; a="b,\\"c", wait=1',
      'password: p\u00c3\u00a4ss\nAccept-Language: de-AT, de;q=0.9, *;q=0.1',
      "password*: UTF-8''p%C3%A4ss\nAccept: text/html;q=0.9,*/*\nSec-Fetch-Mode: navigate",
      'X-Forwarded-For: 203.0.113.1, [2001:db8::1]:443, 10.0.0.1:1\nX-Forwarded-Host: a, b:80\nX-Forwarded-Proto: HTTPS',
      'Host: users.example.com\nX-Request-Id: abc\ntraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'Content-Type: application/merge-patch+json; charset="utf-8"\nContent-Type: application/json',
    ],
    run: (data) => {
      for (const app of apps) {
        const { request, req } = requestWith(app, data.toString('latin1'));
        for (const parameter of inHeaders) {
          const read = parameter.read(request, []);
          if (isLeft(read)) known([typeof read.left === 'string' ? read.left : read.left.message]);
        }
        const versions = ifMatch.read(request, []);
        if (isRight(versions) && versions.right !== undefined)
          assert(
            versions.right.every((one) => req.headers['if-match']?.includes(`"${one}"`)),
            'a version is in its tag',
          );
        assert(['en', 'de', 'de-AT', 'zh-Hant'].includes(lookup(request.acceptsLanguages())), 'a language is known');
        prefersPage(request);
        prefersJson(request);
        const { ip, protocol, host } = request;
        assert(canonicalAddress(ip) === ip && subscriberOf(ip) !== undefined, 'a client has an address');
        assert(['', 'http', 'https'].includes(protocol) && typeof host === 'string', 'a link has a scheme');
        assert(/^[\w.~:/+=@-]{1,128}$/.test(requestIdOf(req)), 'an id is harmless in logs');
        for (const format of [jsonBody, patchBody]) format.accepts(req.headers['content-type'] ?? '');
      }
    },
  },
  encodedBodies: {
    seeds: [
      encoded('identity', json),
      encoded('gzip', gzipSync(json)),
      encoded('gzip', gzipSync(Buffer.alloc(maxBodyBytes + 1))),
      encoded('deflate', deflateSync(json)),
      encoded('br', brotliCompressSync(json)),
    ],
    run: async (data) => {
      const [at = 0] = data;
      const body = data.subarray(1);
      const fields = `Content-Encoding: ${encodings[at % encodings.length]}\nContent-Length: ${body.length}`;
      const ctx = requestWith(byNumber, fields);
      ctx.req.push(body);
      ctx.req.push(null);
      const read = await jsonBody.readBytes(ctx);
      assert(isLeft(read) || read.right.length <= maxBodyBytes, 'a body has its maximum size');
    },
  },
  clientAddresses: {
    seeds: ['127.0.0.1', '::ffff:192.0.2.1', '64:ff9b::192.0.2.1', 'fe80::1%eth0', '::192.0.2.1', '2001:DB8::1'],
    run: (data) => {
      const text = data.toString('latin1');
      const canonical = canonicalAddress(text);
      if (canonical === undefined) return assert(subscriberOf(text) === undefined, 'no address, no client');
      assert(canonicalAddress(canonical) === canonical, 'a canonical address is its own');
      assert(subscriberOf(canonical) === subscriberOf(text), 'spellings of an address are one client');
    },
  },
};

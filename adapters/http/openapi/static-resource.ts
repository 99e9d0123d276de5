import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request as KoaRequest } from 'koa';
import { Once } from '../../concurrency/shared-call.ts';
import type { Reply } from '../server/response.ts';

/** A body that does not change while the process runs, and its headers. */
export interface StaticContent {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Encoding = 'br' | 'gzip' | 'identity';

interface Representation {
  readonly entityTag: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

// Higher levels of Brotli would take seconds for the script of Swagger UI.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const encode: Readonly<Record<Encoding, (body: Buffer) => Buffer | Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, brotliOptions),
  gzip: (body) => promisify(gzip)(body),
  identity: (body) => body,
};

/** Encodes content. Each encoding has its own strong entity tag (RFC 9110, section 8.8.3.3). */
const representationOf = async (content: StaticContent, encoding: Encoding): Promise<Representation> => {
  const body = await encode[encoding](Buffer.from(content.body));
  const isEncoded = encoding !== 'identity';
  return {
    entityTag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    headers: { ...content.headers, ...(isEncoded && { 'Content-Encoding': encoding }) },
    body,
  };
};

const isCompressible = ({ headers }: StaticContent): boolean => !headers['Content-Type']?.startsWith('image/');

/** The encoding in which a request gets content: the smallest that it accepts. */
const encodingFor = (request: KoaRequest, content: StaticContent): Encoding => {
  const encodings = isCompressible(content) ? (['br', 'gzip'] as const) : [];
  return encodings.find((encoding) => request.acceptsEncodings(encoding) === encoding) ?? 'identity';
};

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110, section 13.1.2). */
const matches = (condition: string | undefined, entityTag: string): boolean =>
  condition === '*' || (condition?.split(',').some((named) => named.trim().replace(/^W\//, '') === entityTag) ?? false);

const unchangedReply = ({ entityTag: etag, headers }: Representation): Reply => {
  const { 'Content-Type': _, 'Content-Encoding': __, ...others } = headers;
  return { status: 304, headers: others, etag, body: '' };
};

/** Answers a request for content; 304 when `If-None-Match` names its entity tag. */
export type StaticReply = (request: KoaRequest) => Promise<Reply>;

/**
 * Content that the first request renders and all requests share, compressed once for each encoding that clients accept.
 * When `render` fails, the next request tries again.
 */
export const staticReply = (render: () => StaticContent | Promise<StaticContent>): StaticReply => {
  const content = new Once(async () => render());
  const encoded = (encoding: Encoding) => new Once(async () => representationOf(await content.get(), encoding));
  const representations = { br: encoded('br'), gzip: encoded('gzip'), identity: encoded('identity') };
  return async (request) => {
    const rendered = await content.get();
    // Added to the Vary of CORS, if any.
    if (isCompressible(rendered)) request.ctx.vary('Accept-Encoding');
    const representation = await representations[encodingFor(request, rendered)].get();
    const { entityTag: etag, headers, body } = representation;
    return matches(request.req.headers['if-none-match'], etag)
      ? unchangedReply(representation)
      : { status: 200, headers, etag, body };
  };
};

import type { Schema } from '../api/route-types.ts';

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Moves the schemas that have a title to `components`, and refers to them from where they were: generators of clients
 * name types after components. Schemas of equal titles must be equal.
 */
export class NamedSchemas {
  readonly components: Record<string, Schema> = {};

  /** The same schema, with references instead of its titled parts, and of itself if it has a title. */
  referTo(schema: Schema): Schema {
    const { title, ...untitled } = schema;
    const content = Object.fromEntries(Object.entries(untitled).map(([key, value]) => [key, this.within(value)]));
    // A schema may describe a member of the name `title`.
    if (typeof title !== 'string') return title === undefined ? content : { ...content, title: this.within(title) };
    this.components[title] = content;
    return { $ref: `#/components/schemas/${title}` };
  }

  private within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.within(item));
    return isSchema(value) ? this.referTo(value) : value;
  }
}

/** The headers of problem documents. */
const headers = {
  'X-Request-Id': 'Identifies the request in the log; equal to `requestId` of the problem document.',
  'WWW-Authenticate':
    'How the client authenticates; with `wrong_password`, the scheme `Password`, for which browsers ask nothing.',
  'Retry-After': 'When the request may succeed, in seconds, if that is known.',
  'Accept-Patch': 'With `unsupported_media_type`: the media types that are accepted (RFC 5789).',
} as const;

export type ProblemHeader = keyof typeof headers;

/** A header by its meaning. */
export const headerObject = (description: string): Schema => ({ description, schema: { type: 'string' } });

/** The headers of problem documents, to which responses refer. */
export const headerComponents: Schema = {
  ...Object.fromEntries(Object.entries(headers).map(([name, meaning]) => [name, headerObject(meaning)])),
  'Retry-After': { description: headers['Retry-After'], schema: { type: 'integer', minimum: 0 } },
};

/** Refers to headers of problem documents. */
export const headerReferences = (names: readonly ProblemHeader[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

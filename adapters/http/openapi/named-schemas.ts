import type { Schema } from '../api/route-types.ts';

export const isSchema = (value: unknown): value is Schema =>
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
    const known = this.components[title];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(content))
      throw new TypeError(`two schemas have the title ${title}`);
    this.components[title] = content;
    return { $ref: `#/components/schemas/${title}` };
  }

  private within(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.within(item));
    return isSchema(value) ? this.referTo(value) : value;
  }
}

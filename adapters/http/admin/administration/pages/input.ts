import type { Context } from 'koa';
import bodyParser from 'koa-bodyparser';
import { givenAs, queryOf } from '../../../api/query.ts';

/** A parameter as text; one that is missing or repeated is empty. */
export const textOf = (ctx: Context, name: string): string => {
  const value = givenAs(queryOf(ctx.request), name);
  return typeof value === 'string' ? value.trim() : '';
};

/** A field of a form as text; one that is missing or repeated is empty. */
export const fieldOf = (ctx: Context, name: string): string => {
  const body: unknown = ctx.request.body;
  const fields = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const value = fields.get(name);
  return typeof value === 'string' ? value : '';
};

/** Reads a form, which `fieldOf` then looks into; one that can't be read, or is larger than any here, has no fields. */
export const readForm = bodyParser({ enableTypes: ['form'], formLimit: '8kb', onerror: () => undefined });

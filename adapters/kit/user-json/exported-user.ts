import { type UserField, userFields } from '../../../domain/user-fields.ts';
import { stateFields } from '../../../domain/user-state.ts';
import { inLineOrder, writerOf } from './user-writer.ts';

const fields: readonly UserField[] = userFields;
const states: ReadonlySet<UserField['name']> = new Set(stateFields);

/** Every field of a user that is no password, token or digest. */
export const exportedFields = fields.filter(({ name, kind }) => kind !== 'text' || states.has(name));

/** A user as one line of an export, without what nobody is shown. */
export const exportedUser = writerOf(inLineOrder(exportedFields));

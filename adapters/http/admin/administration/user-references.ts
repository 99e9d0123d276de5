import { EmailAddress, keyOf } from '../../../../domain/email-address.ts';
import { type User, UserId } from '../../../../domain/user.ts';
import { nameOfId, nameOfProperty, type UniqueProperty, type UserKey } from '../../../../domain/user-name.ts';

/** What a link or a form names a user by, as its parameter or field. */
export type UserReference = { readonly id: string } | { readonly address: string };

/** How administrators name users: by the address and, where they are configured, by ids and unique properties. */
export class UserReferences {
  constructor(
    readonly ids: boolean,
    readonly unique: readonly UniqueProperty[],
  ) {}

  /** What names one user exactly, besides the address. */
  get exactNames(): readonly string[] {
    return [...(this.ids ? ['id'] : []), ...this.unique.map(({ name }) => name)];
  }

  /** The id of a user who has one, because the address may change while a page is open. */
  referenceTo({ id, email: { address } }: User): UserReference {
    return this.ids && id !== undefined ? { id } : { address };
  }

  /** What names the user in the path of a route. */
  inPath(user: User): string {
    const reference = this.referenceTo(user);
    return 'id' in reference ? reference.id : reference.address;
  }

  /** The key by which the user is found. */
  keyOf({ id, email: { address } }: User): UserKey {
    return this.ids && id !== undefined ? nameOfId(id) : keyOf(address);
  }

  /** The key of a reference as `read` returns its parts; undefined if it is none. */
  keyIn(read: (name: 'id' | 'address') => string): UserKey | undefined {
    const id = this.ids ? read('id') : '';
    if (id !== '') return UserId.is(id) ? nameOfId(id) : undefined;
    const address = read('address');
    return EmailAddress.is(address) ? keyOf(address) : undefined;
  }

  /** The keys that a text may be that an administrator searches for: an address, an id, or the value of a property. */
  keysOf(text: string): readonly UserKey[] {
    const keys: UserKey[] = EmailAddress.is(text) ? [keyOf(text)] : [];
    if (this.ids && UserId.is(text)) keys.push(nameOfId(text));
    return [...keys, ...this.unique.flatMap((property) => nameOfProperty(property, text) ?? [])];
  }
}

/** Two valid addresses that a person may take for one. */
export interface Spellings {
  readonly why: string;
  readonly one: string;
  readonly other: string;
  /** Whether both find the same user. */
  readonly isSameUser: boolean;
  /** Whether a mail to either arrives in the same mailbox for certain. */
  readonly isSame: boolean;
  /** Which of them a new user, or a user with another address, may have. */
  readonly accepted: 'both' | 'one' | 'none';
}

type Pair = readonly [one: string, other: string];
type Identity = Pick<Spellings, 'isSameUser' | 'isSame'>;

const sameMailbox: Identity = { isSameUser: true, isSame: true };
const sameUser: Identity = { isSameUser: true, isSame: false };
const twoUsers: Identity = { isSameUser: false, isSame: false };

const row = (why: string, [one, other]: Pair, identity: Identity, accepted: Spellings['accepted']): Spellings => ({
  why,
  one,
  other,
  ...identity,
  accepted,
});

/** Pairs that differ in one way each. Stores of former versions may hold all of them. */
export const spellings: readonly Spellings[] = [
  row('case of ASCII', ['jane@example.com', 'JANE@Example.COM'], sameMailbox, 'both'),
  row('case of an A-label', ['jane@xn--bcher-kva.test', 'jane@XN--BCHER-KVA.test'], sameMailbox, 'both'),
  row('case of other letters', ['jäne@example.com', 'JÄNE@example.com'], sameUser, 'both'),
  row('composition', ['jos\u00e9@example.com', 'jose\u0301@example.com'], sameUser, 'both'),
  row('composition in the domain', ['jane@jos\u00e9.test', 'jane@jose\u0301.test'], sameUser, 'none'),
  row('final sigma', ['σίσυφος@example.com', 'σίσυφοσ@example.com'], sameUser, 'both'),
  row('final sigma in the domain', ['jane@σίσυφος.test', 'jane@σίσυφοσ.test'], sameUser, 'none'),
  row('Kelvin sign', ['kate@example.com', '\u212aate@example.com'], sameUser, 'both'),
  row('Kelvin sign in the domain', ['jane@kelvin.test', 'jane@\u212aelvin.test'], sameUser, 'one'),
  row('dotless i', ['mike@example.com', 'mıke@example.com'], twoUsers, 'both'),
  row('dotted capital I', ['mike@example.com', 'MİKE@example.com'], twoUsers, 'both'),
  row('sharp s', ['jane@strasse.test', 'jane@straße.test'], twoUsers, 'one'),
  row('full width', ['jane@example.com', 'ｊane@example.com'], twoUsers, 'both'),
  row('full width in the domain', ['jane@example.com', 'jane@ｅxample.com'], twoUsers, 'one'),
  row('A-label and U-label', ['jane@xn--bcher-kva.test', 'jane@bücher.test'], twoUsers, 'one'),
  row('an ignorable mark', ['jane@example.com', 'ja\u034fne@example.com'], twoUsers, 'both'),
  row('an ignorable mark in the domain', ['jane@example.com', 'jane@exam\ufe0fple.com'], twoUsers, 'one'),
  row('quotes', ['jane@example.com', '"jane"@example.com'], twoUsers, 'one'),
  row('a quoted pair', ['"ja,ne"@example.com', '"ja\\,ne"@example.com'], twoUsers, 'one'),
  row('brackets in quotes', ['"boss,"@example.com', '"<boss>"@example.com'], twoUsers, 'one'),
];

/** Spellings that no user has, which differ from `jane@example.com` in a character that is not shown, or at the end. */
export const invalidSpellings: readonly string[] = [
  'ja\u00adne@example.com',
  'jane@exam\u00adple.com',
  'ja\u200dne@example.com',
  'jane@exam\u200dple.com',
  'jane@exam\u200bple.com',
  'jane\u2060@example.com',
  'jane@example.com.',
  'jane.@example.com',
  'jane@example\u3002com',
  'jane＠example.com',
];

/** Two valid addresses that a person may take for one. */
interface Spellings {
  readonly why: string;
  readonly one: string;
  readonly other: string;
  /** Whether both find the same user. */
  readonly isSameUser: boolean;
  /** Whether a mail to either arrives in the same mailbox for certain. */
  readonly isSame: boolean;
}

const isNewUser = { isSameUser: false, isSame: false };
const isOtherMailbox = { isSameUser: true, isSame: false };

/** Pairs that differ in one way each. Stores of former versions may hold all of them. */
export const spellings: readonly Spellings[] = [
  { why: 'case of ASCII', one: 'jane@example.com', other: 'JANE@Example.COM', isSameUser: true, isSame: true },
  {
    why: 'case of an A-label',
    one: 'jane@xn--bcher-kva.test',
    other: 'jane@XN--BCHER-KVA.test',
    isSameUser: true,
    isSame: true,
  },
  { why: 'case of other letters', one: 'jäne@example.com', other: 'JÄNE@example.com', ...isOtherMailbox },
  { why: 'composition', one: 'jos\u00e9@example.com', other: 'jose\u0301@example.com', ...isOtherMailbox },
  { why: 'composition in the domain', one: 'jane@jos\u00e9.test', other: 'jane@jose\u0301.test', ...isOtherMailbox },
  { why: 'final sigma', one: 'σίσυφος@example.com', other: 'σίσυφοσ@example.com', ...isOtherMailbox },
  { why: 'final sigma in the domain', one: 'jane@σίσυφος.test', other: 'jane@σίσυφοσ.test', ...isOtherMailbox },
  { why: 'Kelvin sign', one: 'kate@example.com', other: '\u212aate@example.com', ...isOtherMailbox },
  { why: 'Kelvin sign in the domain', one: 'jane@kelvin.test', other: 'jane@\u212aelvin.test', ...isOtherMailbox },
  { why: 'dotless i', one: 'mike@example.com', other: 'mıke@example.com', ...isNewUser },
  { why: 'dotted capital I', one: 'mike@example.com', other: 'MİKE@example.com', ...isNewUser },
  { why: 'sharp s', one: 'jane@strasse.test', other: 'jane@straße.test', ...isNewUser },
  { why: 'full width', one: 'jane@example.com', other: 'ｊane@example.com', ...isNewUser },
  { why: 'full width in the domain', one: 'jane@example.com', other: 'jane@ｅxample.com', ...isNewUser },
  { why: 'A-label and U-label', one: 'jane@xn--bcher-kva.test', other: 'jane@bücher.test', ...isNewUser },
  { why: 'an ignorable mark', one: 'jane@example.com', other: 'ja\u034fne@example.com', ...isNewUser },
  { why: 'an ignorable mark in the domain', one: 'jane@example.com', other: 'jane@exam\ufe0fple.com', ...isNewUser },
  { why: 'quotes', one: 'jane@example.com', other: '"jane"@example.com', ...isNewUser },
  { why: 'a quoted pair', one: '"jane"@example.com', other: '"ja\\ne"@example.com', ...isNewUser },
];

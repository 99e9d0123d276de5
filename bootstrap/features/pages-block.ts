import {
  type Block,
  block,
  type Options,
  optional,
  required,
  type Values,
  type Written,
} from '../../adapters/kit/option-block.ts';
import { type Codec, text } from '../../adapters/kit/option-codecs.ts';

/** The texts of a page. */
const pageTexts = {
  title: required(text, 'The heading, and the title of the document.'),
  sentence: required(
    text,
    'The text below it; the address replaces CODEGEN-ADDRESS, how long the link works CODEGEN-LIFETIME.',
  ),
  hint: optional(text, 'What the reader can do next.'),
};

/** The texts of a page with a form. */
export const formTextBlock = block({ ...pageTexts, button: required(text, 'The button; only on the page `ask`.') });

/** A block with a name of its own, because several blocks share a table in the documentation. */
const named = <O extends Options>(name: string, { is, decode }: Block<O>): Codec<Values<O>, Written<O>> => ({
  name,
  is,
  decode,
});

const page = (meaning: string) => required(named('the texts of a page', block(pageTexts)), meaning);

/** The pages of every link. */
const linkPages = {
  ask: required(named('the texts of a page with a button', formTextBlock), 'The page that the link opens.'),
  done: page('The page after the button was pressed.'),
  invalid: page('The link is incomplete, used or replaced.'),
  expired: page('The link has expired.'),
  unknown: page('The user does not exist.'),
  unavailable: page('The database is not available: later the link works.'),
  failed: page('Any other failure.'),
  lifetime: optional(
    text,
    'How long a link works, which replaces CODEGEN-LIFETIME; after the hints of `ask` and `invalid`, where it is configured.',
  ),
};

const ruleText = (meaning: string) => optional(text, meaning);

/** What a new password has to be; a rule without a text is not shown. */
export const rulesBlock = block({
  tooShort: ruleText('`passwordRules.minLength`, which replaces CODEGEN-LIMIT.'),
  tooLong: ruleText('`passwordRules.maxLength`, which replaces CODEGEN-LIMIT.'),
  containsAddress: ruleText('`passwordRules.notAddress`.'),
  known: ruleText('`passwordRules.blocklist`.'),
  guessable: ruleText('`passwordRules.minScore`.'),
});

/** Texts that an older configuration lacks: `weak` and `unsuitable` take their place. */
export const refusedBlock = block({
  empty: ruleText('No password was entered.'),
  tooShort: ruleText('Shorter than `passwordRules.minLength`, which replaces CODEGEN-LIMIT.'),
  tooLong: ruleText('Longer than `passwordRules.maxLength`, which replaces CODEGEN-LIMIT.'),
  tooManyBytes: ruleText('More bytes than the `password` header or bcrypt can take.'),
  containsAddress: ruleText('Contains the address.'),
  known: ruleText('On the blocklist.'),
  guessable: ruleText('Below `passwordRules.minScore`.'),
  outerSpaces: ruleText('Starts or ends with a space.'),
  controlCharacters: ruleText('Has control characters.'),
  unchanged: ruleText('The current password, where an administrator requires another one.'),
});

/** What the pages for a new password have in addition. */
const passwordTexts = {
  blocked: page('Too many wrong links or codes were sent.'),
  address: required(text, 'The label of the field for the address.'),
  password: required(text, 'The label of the field for the new password.'),
  rules: optional(named('the texts about a new password', rulesBlock), 'What a new password has to be, one by one.'),
  weak: required(text, 'The new password breaks `passwordRules`.'),
  unsuitable: required(text, 'The new password cannot be used for another reason.'),
  refused: optional(named('the texts about a refused password', refusedBlock), 'The reasons one by one.'),
};

export const linkPagesBlock = block(linkPages);
export const passwordTextsBlock = block(passwordTexts);
const recoveryPagesBlock = block({ ...linkPages, ...passwordTexts });

const movePagesBlock = block({
  ...linkPages,
  taken: required(named('the texts of a page', block(pageTexts)), 'The new address belongs to another user.'),
});

const linkName = 'the pages of a link';

/** An entry of `email.pages.locales`: a language has all pages of a link, or none. */
export const pagesBlock = block({
  verification: optional(named(linkName, linkPagesBlock), 'The link that verifies an address.'),
  recovery: optional(named(linkName, recoveryPagesBlock), 'The link for a new password.'),
  invitation: optional(named(linkName, recoveryPagesBlock), 'The link of an invitation, for a first password.'),
  change: optional(
    named(linkName, movePagesBlock),
    'The link that confirms a new address; also `taken`, if it has become that of another user.',
  ),
  cancellation: optional(named(linkName, linkPagesBlock), 'The link that cancels a change of the address.'),
  continueTo: optional(text, 'The link to the product, whose name replaces CODEGEN-PRODUCT.'),
});

/** The configured pages of a language. */
export type ConfiguredPages = Values<typeof pagesBlock.options>;

import { waitingMove } from '../../../../../domain/address-move.ts';
import { entityTagOf, type VersionedUser } from '../../../../../domain/entity-tag.ts';
import type { User } from '../../../../../domain/user.ts';
import { isDisabled, isInvited } from '../../../../../domain/user-state.ts';
import { noProperties } from '../../../../kit/user-json/user-writer.ts';
import type { RequestRefusal } from '../../../api/refusal.ts';
import type { Client } from '../../../authentication/authenticator.ts';
import { permits } from '../../../authentication/permissions.ts';
import { type Html, html, nothing } from '../../../pages/html.ts';
import { longTag, type OperatorPage } from '../../../pages/operator-pages.ts';
import type { AdministrationFeatures, UserPageParts } from '../administered-user.ts';
import type { Found } from '../administration-parameters.ts';
import type { ActionName, UserActions } from '../administration-routes.ts';
import { problemOf } from '../form-fields.ts';
import type { FieldReader, UserAction } from '../user-action.ts';
import type { UserReference } from '../user-references.ts';
import { badgesOf, lastCheck } from './list-pages.ts';
import { backToUsers } from './list-query.ts';
import { pathTo, singlePage } from './page-frame.ts';
import { readableJson } from './readable-json.ts';

type Attempts = Found<'GetAttempts'>;

const row = (name: string, value: string | Html): Html => html`<dt>${name}</dt><dd>${value}</dd>`;

/** The rows about a disabled user; none for others. */
const disablement = (user: User, now: number): Html => {
  if (user.disablement === undefined || !isDisabled(user, now)) return nothing;
  const { since, until, reason = 'not known' } = user.disablement;
  const end = until === undefined ? 'for good' : longTag(until, now);
  return html`${row('Disabled since', longTag(since, now))}${row('Disabled until', end)}${row('Reason', reason)}`;
};

const attemptsText = ({ failures, blockedForMs }: Attempts['passwords']): string => {
  if (failures === 0) return 'none';
  const minutes = Math.ceil(blockedForMs / 60_000);
  const block = minutes === 1 ? 'blocked for another minute' : `blocked for another ${minutes} minutes`;
  return minutes === 0 ? String(failures) : `${failures}, ${block}`;
};

const properties = (user: User): Html =>
  user.properties === noProperties
    ? html`<p>This user has none.</p>`
    : html`<pre tabindex="0" aria-label="Custom properties as JSON">${readableJson(user.properties)}</pre>`;

/** Links to the forms of the actions that the service has and the key may take; nothing without any. */
const choices =
  (actions: UserActions, user: UserReference, list: string, client: Client | undefined) =>
  (...names: readonly ActionName[]): Html => {
    const links = names.flatMap((name) => {
      const action = actions[name];
      return action === undefined || !permits(client, action.route.requires)
        ? []
        : html`<a class="${name === 'delete' || name === 'erase' ? 'warning' : 'quiet'}" href="${pathTo(`/admin/${name}`, { ...user, list })}">${action.page.label}</a>`;
    });
    return links.length === 0 ? nothing : html`<div class="choices">${links}</div>`;
  };

/** A part of the page with links to actions; nothing where the key may take none. */
const part = (heading: string, links: Html, text: Html = nothing, kind = ''): Html =>
  links === nothing
    ? nothing
    : html`\n<section class="card part${kind}"><h2>${heading}</h2>\n${text}${links}\n</section>`;

/** The rows about mails: what the user has to confirm, and since when. */
const confirmations = (user: User, moveLifetimeMs: AdministrationFeatures['moveLifetimeMs'], now: number): Html => {
  const { verification, mailTime = verification.tokenTime } = user.email;
  const move = waitingMove(user, moveLifetimeMs, now);
  const sent = mailTime === undefined ? 'sent' : html`sent ${longTag(mailTime, now)}`;
  return html`${row('Verification mail', verification.token === null ? 'none is outstanding' : sent)}${
    move === undefined
      ? nothing
      : html`${row('New address', html`${move.to} <small>waits for its confirmation</small>`)}${row('Change requested', longTag(move.since, now))}`
  }`;
};

/** When the user was invited, and whether the link has ended since, as by another address; nothing for others. */
const invitationRow = ({ invitation }: User, now: number): Html => {
  if (invitation === undefined) return nothing;
  const ended = html` <small>The link has ended: invite again.</small>`;
  return row('Invited', html`${longTag(invitation.time, now)}${invitation.digest === undefined ? ended : nothing}`);
};

/** The rows about wrong passwords and codes. While a count is damaged, no password of the user is checked. */
const attemptRows = (attempts: Attempts | undefined): Html => {
  if (attempts === undefined)
    return row('Wrong passwords', 'the stored count is damaged; forget the wrong passwords to remove it');
  const { passwords, tokens, codes } = attempts;
  const ofRecovery = tokens === null ? nothing : row('Wrong links or codes', attemptsText(tokens));
  const ofVerification = codes === null ? nothing : row('Wrong verification codes', attemptsText(codes));
  return html`${row('Wrong passwords', attemptsText(passwords))}${ofRecovery}${ofVerification}`;
};

const isCounted = ({ passwords, tokens, codes }: Attempts): boolean =>
  [passwords, tokens, codes].some((count) => count !== null && count.failures > 0);

/**
 * The page of a user with the wrong passwords and codes that are counted, undefined if a count is damaged; `message` is
 * about the action that led to it, and `list` has the query of the list of users that did.
 */
export const userPage = (
  user: User,
  attempts: Attempts | undefined,
  message: string | undefined,
  list: string,
  actions: UserActions,
  client: Client | undefined,
  { names, activity, moveLifetimeMs, clock }: UserPageParts,
): OperatorPage => {
  const { id, email, requiredChangeTime } = user;
  const { address } = email;
  const now = clock.now();
  const shown = (timeMs: number): Html => longTag(timeMs, now);
  const reference = names.referenceTo(user);
  const linksTo = choices(actions, reference, list, client);
  const stateActions: readonly ActionName[] = [
    isDisabled(user, now) ? 'enable' : 'disable',
    ...(attempts === undefined || isCounted(attempts) ? (['unblock'] as const) : []),
  ];
  // The links of mails do not work for a disabled user, who gets none.
  const mails = <Name extends ActionName>(name: Name): readonly Name[] => (isDisabled(user, now) ? [] : [name]);
  const addressActions: readonly ActionName[] = [
    // A mail makes a verified address count as not verified.
    ...(email.verification.verified ? [] : mails('send-verification')),
    ...(email.verification.verified ? [] : (['mark-verified'] as const)),
    'reset',
    'change-address',
    ...(waitingMove(user, moveLifetimeMs, now) === undefined ? [] : (['cancel-address-change'] as const)),
  ];
  const changeAction = requiredChangeTime === undefined ? 'require-password-change' : 'withdraw-password-change';
  return singlePage(
    address,
    html`<section class="card part">
<dl>${names.ids && id !== undefined ? row('Id', id) : nothing}${row('State', badgesOf(user, now))}${disablement(user, now)}${
      requiredChangeTime === undefined ? nothing : row('New password required since', shown(requiredChangeTime))
    }${invitationRow(user, now)}${attemptRows(attempts)}${confirmations(user, moveLifetimeMs, now)}${activity === null ? nothing : row('Last sign-in', lastCheck(user, shown))}${row('Created', shown(user.creationTime))}${row('Last change', shown(user.lastUpdateTime))}</dl>
</section>${part('Account', linksTo(...stateActions))}${part('Address', linksTo(...addressActions))}${part('Password', linksTo(...(isInvited(user) ? mails('invite') : []), changeAction, 'set-password', 'clear-password', ...mails('recover')))}
<section class="card part"><h2>Custom properties</h2>
${properties(user)}
${linksTo('properties')}
</section>
<section class="card part"><h2>Data</h2>
<p>Everything that is stored about this user, without password, tokens and digests.</p>
<div class="choices"><a class="quiet" href="/admin/users/${encodeURIComponent(names.inPath(user))}/export" download>Export user</a><a class="quiet" href="/admin/people/${encodeURIComponent(names.inPath(user))}" download="person.json">Everything about this person</a></div>
</section>${part('Removal', linksTo('delete', 'erase'), html`<p>Deletes the account and its custom properties for good; to erase the person removes waiting mails, events and counts, too.</p>\n`, ' plain')}`,
    message,
    backToUsers(list, client),
  );
};

/**
 * The page that asks for confirmation before a change. `token` proves that a submitted form was made by this page.
 * After a refusal, it shows the reason and the entered values.
 */
export const confirmationPage = (
  name: string,
  { page, form }: UserAction,
  found: VersionedUser,
  reference: UserReference,
  list: string,
  token: string,
  entered: FieldReader,
  refused: RequestRefusal | undefined,
  client: Client | undefined,
): OperatorPage => {
  const { user } = found;
  const { address } = user.email;
  return singlePage(
    page.title,
    html`<form class="card part" method="post" action="/admin/${name}">
<p><strong>${address}</strong></p>
<p>${page.sentence}</p>
${refused === undefined ? nothing : problemOf(refused, form?.labels ?? {})}
${Object.entries(reference).map(([part, value]) => html`<input type="hidden" name="${part}" value="${value}">`)}
<input type="hidden" name="entityTag" value="${entityTagOf(found)}">
<input type="hidden" name="token" value="${token}">
<input type="hidden" name="list" value="${list}">
${form === undefined ? nothing : form.fields(user, entered, refused?.errors ?? [], reference)}
<div class="choices">${permits(client, 'read') ? html`<a class="quiet" href="${pathTo('/admin/user', { ...reference, list })}">Cancel</a>` : nothing}<button class="${page.isDangerous ? 'danger' : 'action'}">${page.button ?? page.label}</button></div>
</form>`,
    undefined,
    backToUsers(list, client),
  );
};

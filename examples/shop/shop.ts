import { serve } from '@hono/node-server';
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { csrf } from 'hono/csrf';
import { HTTPException } from 'hono/http-exception';
import { createClient, type Problem, type User } from 'latchkey/client';
import { accountPage, welcomePage } from './pages.ts';
import { endSession, nextGeneration, signedInUser, startSession } from './sessions.ts';

const { LATCHKEY_URL: url = 'http://127.0.0.1:8080', SHOP_SECRET: secret = '', PORT: port = '3000' } = process.env;
const accounts = createClient({ url, credentials: { application: 'shop', secret } });
const app = new Hono();

/** What people read when a call is refused. */
const messages: Partial<Record<Problem['code'], string>> = {
  user_exists: 'This address has an account. Sign in, or ask for a new password.',
  address_taken: 'Another account has this address.',
  wrong_password: 'The email address or the password is wrong.',
  user_not_found: 'The email address or the password is wrong.',
  user_disabled: 'This account is disabled.',
  password_change_required: 'Ask for a link below, and set a new password.',
  too_many_attempts: 'Too many wrong passwords. Try again later.',
  resend_too_soon: 'A mail was sent a moment ago. Try again later.',
  invalid_body: 'The email address or the password is not valid.',
};

const messageOf = ({ code, status, errors = [] }: Problem): string => {
  if (code === 'weak_password') return `The password ${errors.map(({ message }) => message).join(', and ')}.`;
  // An outage, or a mistake in this program: not something that the person can mend.
  if (status >= 500 || messages[code] === undefined) throw new Error(code);
  return messages[code];
};

const refuse = (context: Context, problem: Problem) => context.html(welcomePage(messageOf(problem)), 400);

/** The throttle counts wrong passwords for each address of a person, not for the shop. */
const callOf = (context: Context) => ({ clientAddress: getConnInfo(context).remote.address ?? '' });

const fieldsOf = async (context: Context): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(Object.entries(await context.req.parseBody()).map(([name, value]) => [name, String(value)]));

// Forms of other sites are refused. The cookie alone would let them sign a person in to an account of theirs.
app.use(csrf());

app.get('/', async (context) => {
  const user = await signedInUser(context, accounts);
  return context.html(user ? accountPage(user) : welcomePage());
});

app.post('/sign-up', async (context) => {
  const { email = '', password = '' } = await fieldsOf(context);
  const created = await accounts.createUser({ email: { address: email }, password });
  if (!created.ok) return refuse(context, created.problem);
  // The account works without this mail, which the account page sends again.
  await accounts.sendVerification({ email });
  startSession(context, created.user);
  return context.redirect('/', 303);
});

app.post('/sign-in', async (context) => {
  const { email = '', password = '' } = await fieldsOf(context);
  // Read first: if the password changes in between, the session has the former `passwordTime`, and ends.
  const found = await accounts.getUser({ email });
  const checked = await accounts.checkPassword({ email, password }, callOf(context));
  if (!checked.ok) return refuse(context, checked.problem);
  if (!found.ok) return refuse(context, found.problem);
  startSession(context, found.user);
  return context.redirect('/', 303);
});

app.post('/forgotten', async (context) => {
  const { email = '' } = await fieldsOf(context);
  const requested = await accounts.requestRecovery({ email }, callOf(context));
  if (!requested.ok) return refuse(context, requested.problem);
  return context.html(welcomePage('If the address has an account, it gets a mail with a link.'));
});

app.post('/sign-out', (context) => {
  endSession(context);
  return context.redirect('/', 303);
});

/** A page for who is signed in. It shows the message that `act` resolves with, and the user afterwards. */
const forUsers = (
  path: string,
  act: (context: Context, user: User, fields: Readonly<Record<string, string>>) => Promise<string | undefined>,
) =>
  app.post(path, async (context) => {
    const user = await signedInUser(context, accounts);
    if (user === undefined) return context.redirect('/', 303);
    const message = await act(context, user, await fieldsOf(context));
    const present = message === undefined ? undefined : await signedInUser(context, accounts);
    return present ? context.html(accountPage(present, message)) : context.redirect('/', 303);
  });

/** A message where the password is wrong: whoever finds an open session cannot take over the account. */
const wrongPassword = async (context: Context, id: string, password = ''): Promise<string | undefined> => {
  const checked = await accounts.checkPassword({ id, password }, callOf(context));
  return checked.ok ? undefined : messageOf(checked.problem);
};

forUsers('/verify', async (_, { id = '' }) => {
  const sent = await accounts.sendVerification({ id });
  return sent.ok ? 'The mail is on its way.' : messageOf(sent.problem);
});

forUsers('/password', async (context, { id = '' }, { password, replacement = '' }) => {
  const wrong = await wrongPassword(context, id, password);
  if (wrong !== undefined) return wrong;
  const changed = await accounts.patchUser({ id }, { password: replacement });
  if (!changed.ok) return messageOf(changed.problem);
  // Other sessions have the former `passwordTime`, and end.
  startSession(context, changed.user);
  return undefined;
});

forUsers('/address', async (context, { id = '', email: { address } }, { password, email = '' }) => {
  const wrong = await wrongPassword(context, id, password);
  if (wrong !== undefined) return wrong;
  const asked = await accounts.patchUser({ id }, { email: { address: email } });
  if (!asked.ok) return messageOf(asked.problem);
  const { address: present, pending } = asked.user.email;
  if (pending !== undefined) return `Follow the link in the mail to ${pending}.`;
  // Another case of its letters is the same mailbox, and needs no mail.
  return present === address ? 'This is your address already.' : 'Your address is changed.';
});

forUsers('/sign-out-everywhere', async (_, user) => {
  const changed = await accounts.patchUser({ id: user.id ?? '' }, nextGeneration(user));
  return changed.ok ? undefined : messageOf(changed.problem);
});

forUsers('/delete', async (context, { id = '' }, { password }) => {
  const wrong = await wrongPassword(context, id, password);
  if (wrong !== undefined) return wrong;
  const deleted = await accounts.deleteUser({ id });
  return deleted.ok ? undefined : messageOf(deleted.problem);
});

app.onError((error, context) => {
  if (error instanceof HTTPException) return error.getResponse();
  console.error(error.message);
  return context.html(welcomePage('This does not work right now. Try again later.'), 503);
});

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) }, ({ address, port: actual }) =>
  console.log(`The shop is at http://${address}:${actual}`),
);

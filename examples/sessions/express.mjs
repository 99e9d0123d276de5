// With SHOP_SECRET and SESSION_SECRET in the environment: node express.mjs
import express from 'express';
import session from 'express-session';
import { createClient } from 'latchkey/client';

const accounts = createClient({
  url: process.env.LATCHKEY_URL ?? 'http://127.0.0.1:8080',
  credentials: { application: 'shop', secret: process.env.SHOP_SECRET },
});
/** What people read when Latchkey refuses what they entered. */
const refusals = {
  wrong_password: [401, 'The address or the password is wrong.'],
  user_not_found: [401, 'The address or the password is wrong.'],
  user_disabled: [403, 'This account is disabled.'],
  password_change_required: [403, 'Set a new password.'],
  invalid_parameter: [400, 'Enter an address and a password.'],
  invalid_body: [400, 'Enter an address and a password.'],
};
/** The answer of Latchkey. Throws if it is out of reach or busy (503), or this program is mistaken (500). */
const ask = async (call) => {
  const answer = await call.catch((cause) => {
    throw Object.assign(new Error('no answer of Latchkey', { cause }), { status: 503 });
  });
  if (answer.ok || answer.problem.code in refusals) return answer;
  const { code, status } = answer.problem;
  throw Object.assign(new Error(code), { status: status === 429 || status >= 500 ? 503 : 500 });
};

const app = express();
// Behind a proxy that ends TLS: app.set('trust proxy', 1);
app.use((request, response, next) => {
  const { 'sec-fetch-site': site, origin, host } = request.headers;
  const isOwn = site === undefined ? !origin || origin.split('//')[1] === host : site === 'same-origin';
  if (request.method === 'GET' || isOwn) return next();
  response.status(403).send('This form is of another site.');
});
app.use(express.urlencoded({ extended: false }));
app.use(
  session({
    secret: process.env.SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { sameSite: 'lax', secure: 'auto' },
  }),
);

app.post('/sign-in', async (request, response) => {
  const { email = '', password = '' } = request.body ?? {};
  const found = await ask(accounts.getUser({ email }));
  const checked = await ask(accounts.checkPassword({ email, password }, { clientAddress: request.ip }));
  if (!checked.ok) {
    const [status, text] = refusals[checked.problem.code];
    return response.status(status).send(text);
  }
  if (!found.ok) throw new Error(`${found.problem.code}: is headerCheck false?`);
  // A new id, so that an id from before the sign-in is worth nothing.
  request.session.regenerate(() => {
    Object.assign(request.session, { userId: found.user.id, passwordTime: found.user.passwordTime });
    request.session.save(() => response.redirect('/'));
  });
});

/** The user who is signed in. */
app.use(async (request, response, next) => {
  const { userId: id, passwordTime } = request.session;
  const found = id === undefined ? undefined : await ask(accounts.getUser({ id }));
  if (!found?.ok || found.user.passwordTime !== passwordTime) return response.status(401).send('Sign in.');
  response.locals.user = found.user;
  next();
});

// As text: in a page, escape what a person has entered.
app.get('/', (_, response) => response.type('text').send(`Signed in as ${response.locals.user.email.address}`));

app.use((error, _request, response, _next) => {
  console.error(error);
  response.status(error.status ?? 500).send('This does not work right now. Try again later.');
});

const server = app.listen(process.env.PORT ?? 3000, '127.0.0.1', () => console.log(`on ${server.address().port}`));

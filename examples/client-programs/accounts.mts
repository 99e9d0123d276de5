// accounts.mts: node accounts.mts
const base = process.env.LATCHKEY_URL;
const authorization = `Basic ${Buffer.from(`shop:${process.env.SHOP_SECRET}`).toString('base64')}`;

interface Answer {
  readonly status: number;
  readonly body: { readonly code?: string; readonly plan?: string; readonly token?: string };
}

/** Rejects if there is no response in 35 seconds. The header names the user's password. */
const call = async (method: string, path: string, body?: object, password?: string): Promise<Answer> => {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      authorization,
      ...(body && { 'content-type': 'application/json' }),
      ...(password !== undefined && { 'password*': `UTF-8''${encodeURIComponent(password).replace(/['()*]/g, hex)}` }),
    },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(35_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
};

const hex = (character: string): string => `%${character.charCodeAt(0).toString(16)}`;

/** The answer, if it has the expected status. */
const expectStatus = ({ status, body }: Answer, expected: number): Answer['body'] => {
  if (status !== expected) throw new Error(`status ${status}, code ${body.code}`);
  return body;
};

const address = 'jane+ts@example.com';
const user = `/users?email=${encodeURIComponent(address)}`;

expectStatus(await call('POST', '/users', { email: { address }, password: 'grüne Birne 7', plan: 'free' }), 201);
console.log('signed up');

const wrong = expectStatus(await call('GET', user, undefined, 'rote Birne 7'), 401);
console.log(`wrong password refused: ${wrong.code}`);

console.log(`signed in: ${expectStatus(await call('GET', user, undefined, 'grüne Birne 7'), 200).plan}`);

const changed = expectStatus(await call('PATCH', user, { plan: 'pro' }, 'grüne Birne 7'), 200);
console.log(`changed: ${changed.plan}`);

// The application mails the token to the user, who sends it back with a new password.
const { token } = expectStatus(await call('POST', `/recovery?email=${encodeURIComponent(address)}`), 200);
expectStatus(await call('POST', '/recovery/confirm', { email: { address }, token, password: 'blaue Birne 8' }), 204);
console.log('recovered');

console.log(`signed in: ${expectStatus(await call('GET', user, undefined, 'blaue Birne 8'), 200).plan}`);

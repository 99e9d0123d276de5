// The library alone: checks a password against a hash for SECONDS, CONCURRENCY checks at once, and prints their number.
const { STORED, PASSWORD, CONCURRENCY, SECONDS } = process.env;

const check = STORED.startsWith('$argon2')
  ? (
      (library) => () =>
        library.verify(STORED, PASSWORD)
    )((await import('argon2')).default)
  : (
      (library) => () =>
        library.compare(PASSWORD, STORED)
    )((await import('bcrypt')).default);

await check();
const started = performance.now();
const until = started + Number(SECONDS) * 1_000;
let checks = 0;
const client = async () => {
  while (performance.now() < until) {
    if (!(await check())) throw new Error('the password does not match');
    checks++;
  }
};
await Promise.all(Array.from({ length: Number(CONCURRENCY) }, client));
console.log(JSON.stringify({ checks, seconds: (performance.now() - started) / 1_000 }));

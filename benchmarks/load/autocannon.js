// The load of wrk.lua with autocannon, for machines without wrk. Takes its description as JSON and prints the result.
import autocannon from 'autocannon';

const { url, operation, users, tag, headers, connections, seconds } = JSON.parse(process.argv[2]);
let count = 0;

const body = (address) =>
  JSON.stringify({
    email: { address },
    password: 'correct horse',
    name: 'Jane Doe',
    plan: 'free',
    visits: count,
  });

const requests = {
  read: () =>
    Array.from({ length: Math.min(users, 1000) }, (_, i) => {
      const user = Math.floor((i * users) / Math.min(users, 1000));
      return { method: 'GET', path: `/users?email=user${user}%40example.com` };
    }),
  create: () => [
    {
      method: 'POST',
      path: '/users',
      setupRequest: (request) => ({ ...request, body: body(`${tag}${++count}@example.com`) }),
    },
  ],
  update: () => [
    {
      method: 'PUT',
      path: '/users',
      setupRequest: (request) => ({ ...request, body: body(`user${++count % users}@example.com`) }),
    },
  ],
}[operation]();

const result = await autocannon({ url, connections, duration: seconds, headers, requests });
const { latency, errors, timeouts, non2xx } = result;
console.log(
  JSON.stringify({
    seconds: result.duration,
    requests: result.requests.total,
    failed: errors + timeouts + non2xx,
    p50: latency.p50,
    p99: latency.p99,
  }),
);

// Preloaded into a service under test, for a store in its process. Serves the requests of all clients at the same time, in
// rounds: the next round begins when all are answered and each client has sent another one. Nothing else happens meanwhile, so
// that the order within a round, which depends on the seed and the requests alone, decides what concurrent requests do. The
// environment variable TURNS says `{"seed":"1","clients":4}`; the header `turn` of requests is that of take-turns.js.
import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { onRequest } from './driver-calls.js';

const { seed, clients } = JSON.parse(process.env.TURNS);
let waiting = [];
let running = 0;
let ended = 0;
let rounds = 0;

const next = () => {
  if (running > 0 || waiting.length === 0 || waiting.length + ended < clients) return;
  rounds++;
  const rankOf = (client) => createHash('sha256').update(`${seed} ${rounds} ${client}`).digest('hex');
  const round = waiting.map(({ client, serve }) => ({ rank: rankOf(client), serve }));
  round.sort((one, other) => (one.rank < other.rank ? -1 : 1));
  waiting = [];
  running = round.length;
  for (const { serve } of round) serve();
};

onRequest((request, response, serve) => {
  const [client = '', last] = (request.headers.turn ?? '').split(' ');
  if (client === '') return serve();
  waiting.push({ client, serve: AsyncResource.bind(serve) });
  response.once('close', () => {
    running--;
    if (last !== undefined) ended++;
    next();
  });
  next();
});

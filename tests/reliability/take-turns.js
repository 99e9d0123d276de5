// Preloaded into a service under test. Lets one request run at a time: first until it reads from the database, then until it
// writes, then until it is answered. Which one runs next depends on the seed and the requests alone, so that a seed repeats
// what concurrent requests do. The environment variable TURNS says `{"seed":"1","clients":4}`. A request of client 3 has the
// header `turn: 3`, and `turn: 3 last` if no other follows it.
import { AsyncResource } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { onRequest, onSend } from './driver-calls.js';

/**
 * The last turn of a request includes its further attempts, because the service makes only one of several that change the same
 * user.
 */
const maxTurns = 3;

const { seed, clients } = JSON.parse(process.env.TURNS);
/** The request of each client: how many turns it had, and what it does in the next one. */
const present = new Map();
let ended = 0;
let running;
let turns = 0;

/** Gives the next turn, once all clients wait for it: otherwise the order in which they arrive would decide. */
const next = () => {
  const waiting = [...present.values()].filter(({ sends }) => sends.length > 0);
  if (running !== undefined || waiting.length === 0 || waiting.length + ended < clients) return;
  const random = createHash('sha256').update(`${seed} ${turns++}`).digest();
  // Mostly to one that had the fewest, so that several have read the same version before one of them writes.
  const fewest = Math.min(...waiting.map(({ taken }) => taken));
  const eligible = waiting.filter(({ taken }) => taken === fewest || random[0] < 64);
  eligible.sort((one, other) => one.client - other.client);
  running = eligible[random.readUInt32BE(1) % eligible.length];
  running.taken++;
  for (const send of running.sends.splice(0)) send();
};

/** Ends the turn of a request, if it runs. */
const end = (turn) => {
  if (running === turn) running = undefined;
  // Later, because a driver may send in several pieces.
  setImmediate(next);
};

onRequest((request, response, serve) => {
  const [client = '', last] = (request.headers.turn ?? '').split(' ');
  if (client === '') return serve();
  const turn = { client, taken: 0, sends: [AsyncResource.bind(serve)] };
  request.turn = turn;
  present.set(client, turn);
  response.once('close', () => {
    present.delete(client);
    request.turn = undefined;
    if (last !== undefined) ended++;
    for (const send of turn.sends) send();
    end(turn);
  });
  end(turn);
});

/** What MongoDB is sent on a new connection, and to confirm its primary: not for one request, and at times of its own. */
const isShared = (chunk) => ['linearizable', 'admin.$cmd', 'hello'].some((text) => chunk.includes(text));

onSend(({ turn }, chunk, send) => {
  if (turn === undefined || (running === turn && turn.taken === maxTurns) || isShared(chunk)) return send();
  turn.sends.push(AsyncResource.bind(send));
  end(turn);
});

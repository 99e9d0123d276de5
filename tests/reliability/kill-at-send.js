// Preloaded into a service under test. Kills it before it sends something with a text to the database, or when the reply
// arrives, as the environment variable KILL_AT says: `{"start":"UPDATE","runs":3,"isAfter":false}`.
import { onRequest, onSend } from './driver-calls.js';

const { start, runs, isAfter } = JSON.parse(process.env.KILL_AT);
let seen = 0;

const kill = () => process.kill(process.pid, 'SIGKILL');

onRequest((_, __, serve) => serve());
onSend((_, chunk, send, socket) => {
  const isChosen = chunk.includes(start) && ++seen === runs;
  if (isChosen && !isAfter) kill();
  send();
  // The connection is for no other request meanwhile.
  if (isChosen) socket.prependOnceListener('data', kill);
});

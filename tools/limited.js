// Runs a command with a limit over all, in minutes: `node tools/limited.js 10 mocha --config …`. A process that hangs in
// one call notices no timeout of Mocha and no SIGTERM, so that at the limit all processes of the command are killed.
import { spawn, spawnSync } from 'node:child_process';

const [minutes, command, ...args] = process.argv.slice(2);
// A process group of its own, so that the workers of a test run end with it.
const child = spawn(command, args, { stdio: 'inherit', detached: true });
const signalAll = (signal) => {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // All of them have ended.
  }
};

const timer = setTimeout(() => {
  console.error(`\nThis run exceeded its limit of ${minutes} minutes. Its processes are killed:`);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,pid=,stat=,time=,args='], { encoding: 'utf8' });
  const processes = stdout?.split('\n').filter((line) => line.trimStart().startsWith(`${child.pid} `));
  if (processes !== undefined) console.error(processes.join('\n'));
  signalAll('SIGKILL');
}, minutes * 60_000);

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signalAll(signal));
child.on('error', (error) => {
  clearTimeout(timer);
  console.error(error.message);
  process.exitCode = 127;
});
child.on('exit', (status) => {
  clearTimeout(timer);
  process.exitCode = status ?? 1;
});

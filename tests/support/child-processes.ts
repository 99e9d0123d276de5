import { readdirSync, readFileSync } from 'node:fs';

/** The fields of a process after its name: its state, its parent, and others. Undefined if it has ended. */
const fieldsOf = (pid: number): readonly string[] | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
};

/** Whether a process exists, and is not one that has ended but was not reaped. */
export const isRunning = (pid: number): boolean => !['Z', 'X', undefined].includes(fieldsOf(pid)?.[0]);

/** Whether a process was stopped, as by SIGSTOP. */
export const isStopped = (pid: number): boolean => fieldsOf(pid)?.[0] === 'T';

/** The ids of the child processes of a process. */
export const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(fieldsOf(pid)?.[1]) === parent);

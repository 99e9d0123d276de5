import { type Logger, pino } from 'pino';
import type { Log } from '../application/ports/log.ts';
import { LogOutput } from './log-output.ts';

const asLog = (logger: Logger): Log => ({
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
});

let output: LogOutput | undefined;

/** Every log of the process shares one output, so that lines keep their order. */
const standardOutput = (): LogOutput => {
  if (output !== undefined) return output;
  const opened = new LogOutput(1);
  process.once('exit', () => opened.end());
  output = opened;
  return opened;
};

/** The log of the service: JSON lines on standard output, or readable lines on a terminal. */
export const openLog = async (level: string): Promise<Log> => {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  // Reading `process.stdout` makes a pipe non-blocking: a write to a reader that has stalled fails instead of waiting.
  if (!process.stdout.isTTY) return asLog(pino(options, standardOutput()));
  const { default: pretty } = await import('pino-pretty');
  return asLog(pino(options, pretty({ translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname', sync: true })));
};

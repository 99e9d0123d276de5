import { type Logger, pino } from 'pino';
import type { Log } from '../application/ports/log.ts';

const asLog = (logger: Logger): Log => ({
  info: (fields, message) => logger.info(fields, message),
  warn: (fields, message) => logger.warn(fields, message),
  error: (fields, message) => logger.error(fields, message),
});

/** The log of the service: JSON lines on standard output, or readable lines on a terminal. */
export const openLog = async (level: string): Promise<Log> => {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stdout.isTTY) return asLog(pino(options));
  const { default: pretty } = await import('pino-pretty');
  return asLog(pino(options, pretty({ translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname', sync: true })));
};

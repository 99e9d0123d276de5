/**
 * The first frames of the stack of an error, for logs. Its message stays out, because it may hold a value, although a line
 * of it can look like a frame.
 */
export const stackFrames = (error: Error, count: number): readonly string[] =>
  (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, count)
    .map((line) => line.trim());

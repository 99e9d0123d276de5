/** The code of an error of Node.js, such as ERR_MODULE_NOT_FOUND. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && /^[A-Z_]{1,60}$/.test(String(error.code))
    ? String(error.code)
    : undefined;

// A frame of a stack outside Node.js itself, and the line with which the stack of a slip in the syntax begins.
const frame = /(?:^ +at (?:async )?|\()(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():]+:\d+)/;
const head = /^(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^():]+:\d+)$/;

/** The name of an error, and the file and line where it was thrown. Its text is left out, because it may hold a value. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'something that is no Error';
  const [first = '', ...lines] = (error.stack ?? '').split('\n');
  const frames = lines.filter((line) => /^ +at /.test(line));
  const where =
    head.exec(first)?.[1] ?? frames.map((line) => frame.exec(line)?.[1]).find((found) => found !== undefined);
  return [codeOf(error) ?? error.name, where].filter((part) => part !== undefined).join(' at ');
};

/** Why a module can't be imported. The texts about a module that is missing are Node.js's own, and hold no value. */
export const importReasonOf = (error: unknown): string => {
  const code = codeOf(error);
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  const [text] = isMissing && error instanceof Error ? error.message.split('\n') : [];
  return `can't be loaded: ${text ?? reasonOf(error)}`;
};

/** A file that a transfer can't read or write; the message names it and says what to do. */
export class UnusableFile extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'this user may not open it',
  EISDIR: 'it is a folder',
  ENXIO: 'it is no file',
  ELOOP: 'it is a symbolic link; write the name of the file itself',
  EEXIST: 'it exists already; write the name of a new file',
  ENOSPC: 'the disk is full',
};

/** What the system says about a file, in words; any other error as it is. */
export const aboutFile = (error: unknown): unknown => {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const path = 'path' in error ? `${error.path}: ` : '';
  return new UnusableFile(`${path}${reasons[String(error.code)] ?? error.code}`);
};

/** How the process ends. */
export const exitStatus = {
  done: 0,
  /** Something that the service needs can't be reached or had. */
  failed: 1,
  /** The configuration, or the command line, is wrong: starting again won't help. */
  wrongConfiguration: 2,
} as const;

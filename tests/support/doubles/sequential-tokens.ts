/** Makes token-1, token-2 and so on. */
export const sequentialTokens = (): (() => string) => {
  let count = 0;
  return () => `token-${++count}`;
};

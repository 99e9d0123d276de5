/** The headers of every HTML page: nothing but what the page itself holds, kept nowhere, and no address passed on. */
export const pageHeaders = (policy: string): Readonly<Record<string, string>> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
});

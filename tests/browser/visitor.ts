import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

/** The only host that a page may send requests to. */
const home = '127.0.0.1';

/** Chromium logs documents with an error status, which error pages have. */
const isStatusOfDocument = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource: the server responded with a status of ') &&
  message.location().url === message.page()?.url();

/** Records requests to other hosts, and errors and warnings in the console, including those of policies. */
const watch = (context: BrowserContext, violations: string[]): void => {
  const look = (address: string): void => {
    const { protocol, host, hostname } = new URL(address);
    if (/^(?:http|ws)s?:$/.test(protocol) && hostname !== home) violations.push(`a request to ${host}`);
  };
  context.on('request', (request) => look(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => look(socket.url())));
  context.on('weberror', (failure) => violations.push(String(failure.error())));
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || isStatusOfDocument(message)) return;
    violations.push(`${message.type()}: ${message.text()}`);
  });
};

/** A browser context without data of earlier visits. */
export interface Visitor {
  readonly page: Page;
  /** The violations of all pages so far. */
  readonly violations: readonly string[];
  leave(): Promise<void>;
}

/** Options of a window: scripts disabled, credentials or language of the visitor. */
export type WindowOptions = Pick<BrowserContextOptions, 'javaScriptEnabled' | 'httpCredentials' | 'locale'>;

/** Opens a window in a browser. A step that can't be done within 15 seconds fails. */
export const visitorOf = async (browser: Browser, options: WindowOptions = {}): Promise<Visitor> => {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(15_000);
  const violations: string[] = [];
  watch(context, violations);
  return { page: await context.newPage(), violations, leave: () => context.close() };
};

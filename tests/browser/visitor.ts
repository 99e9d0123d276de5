import type { Browser, BrowserContext, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';

/** The only machine that a page may ask. */
const home = '127.0.0.1';

/** The line with which Chromium notes a document that came with an error status, as a page for a person may. */
const isStatusOfDocument = (message: ConsoleMessage): boolean =>
  message.text().startsWith('Failed to load resource: the server responded with a status of ') &&
  message.location().url === message.page()?.url();

/** Notes what pages should not do: ask other machines, and write errors or warnings, of broken policies too, to the console. */
const watch = (context: BrowserContext, complaints: string[]): void => {
  const look = (address: string): void => {
    const { protocol, host, hostname } = new URL(address);
    if (/^(?:http|ws)s?:$/.test(protocol) && hostname !== home) complaints.push(`a request to ${host}`);
  };
  context.on('request', (request) => look(request.url()));
  context.on('page', (page) => page.on('websocket', (socket) => look(socket.url())));
  context.on('weberror', (failure) => complaints.push(String(failure.error())));
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || isStatusOfDocument(message)) return;
    complaints.push(`${message.type()}: ${message.text()}`);
  });
};

/** A person at a page, without anything kept from earlier visits. */
export interface Visitor {
  readonly page: Page;
  /** What any page did so far that it should not do. */
  readonly complaints: readonly string[];
  leave(): Promise<void>;
}

/** What a window is opened with: without scripts of pages, or with the login of its person. */
export type Equipment = Pick<BrowserContextOptions, 'javaScriptEnabled' | 'httpCredentials'>;

/** Opens a window in a browser. A step that can't be done within 15 seconds fails. */
export const visitorOf = async (browser: Browser, equipment: Equipment = {}): Promise<Visitor> => {
  const context = await browser.newContext(equipment);
  context.setDefaultTimeout(15_000);
  const complaints: string[] = [];
  watch(context, complaints);
  return { page: await context.newPage(), complaints, leave: () => context.close() };
};

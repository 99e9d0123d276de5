import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { skipSuite } from '../support/engines/skipped-suites.ts';

/** Where Debian's package puts it. */
const usual = '/usr/bin/chromium';

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  // Nothing leaves the machine, whatever a page or the browser itself asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * Asks for a headless Chromium in a `describe`; the function gives it in hooks that follow and in tests. It is the one
 * that CHROMIUM_PATH names, and has to be there then; otherwise Debian's, and a suite without it is skipped, or fails
 * with REQUIRE_ENGINES=1.
 */
export const browserOfSuite = (): (() => Browser) => {
  let browser: Browser | undefined;
  before('start Chromium', async function () {
    const given = process.env.CHROMIUM_PATH || undefined;
    if (given === undefined && !existsSync(usual)) {
      skipSuite(this, `chromium needs ${usual}, from Debian's package chromium, or CHROMIUM_PATH (there is none)`);
    }
    browser = await chromium.launch({ executablePath: given ?? usual, args: flags });
  });
  after('end Chromium', async () => {
    await browser?.close();
  });
  return () => {
    if (browser === undefined) throw new TypeError('there is a browser in hooks and tests only');
    return browser;
  };
};

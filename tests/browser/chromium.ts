import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { skipSuite } from '../support/engines/skipped-suites.ts';

/** The path of the Debian package. */
const debianPath = '/usr/bin/chromium';

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  // Nothing leaves the machine, whatever a page or the browser itself asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * Requests a headless Chromium for a suite. The returned function gives it in later hooks and in tests. It is the one
 * at CHROMIUM_PATH, which must exist, or that of the Debian package. Without it the suite is skipped, or fails with
 * REQUIRE_ENGINES=1.
 */
export const browserOfSuite = (): (() => Browser) => {
  let browser: Browser | undefined;
  before('start Chromium', async function () {
    const given = process.env.CHROMIUM_PATH || undefined;
    if (given === undefined && !existsSync(debianPath)) {
      skipSuite(this, `chromium needs ${debianPath}, from Debian's package chromium, or CHROMIUM_PATH (there is none)`);
    }
    browser = await chromium.launch({ executablePath: given ?? debianPath, args: flags });
  });
  after('end Chromium', async () => {
    await browser?.close();
  });
  return () => {
    if (browser === undefined) throw new TypeError('there is a browser in hooks and tests only');
    return browser;
  };
};

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { skipSuite } from '../support/engines/skipped-suites.ts';

/** The programs of the Debian packages, the one first that takes half the processor time, because it draws no windows. */
const debianPaths = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

const flags = [
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  // Nothing leaves the machine, whatever a page or the browser itself asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

/**
 * Requests a headless Chromium for a suite. The returned function gives it in later hooks and in tests. It is the one
 * at CHROMIUM_PATH, which must exist, or that of a Debian package. Without one the suite is skipped, or fails with
 * REQUIRE_ENGINES=1.
 */
export const browserOfSuite = (): (() => Browser) => {
  let browser: Browser | undefined;
  before('start Chromium', async function () {
    const executablePath = process.env.CHROMIUM_PATH || debianPaths.find(existsSync);
    if (executablePath === undefined)
      return skipSuite(
        this,
        "chromium needs Debian's package chromium-headless-shell, or CHROMIUM_PATH (there is none)",
      );
    browser = await chromium.launch({ executablePath, args: flags });
  });
  after('end Chromium', async () => {
    await browser?.close();
  });
  return () => {
    if (browser === undefined) throw new TypeError('there is a browser in hooks and tests only');
    return browser;
  };
};

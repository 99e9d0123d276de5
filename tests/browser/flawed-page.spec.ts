import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import { accessibilityProblems } from './accessibility.ts';
import { browserOfSuite } from './chromium.ts';
import { type Visitor, visitorOf } from './visitor.ts';

const flawed = `<!doctype html><html lang="en"><head><title>Flawed</title><link rel="icon" href="data:,">
<style>p { width: 600px; font-size: 11px; } @media (prefers-color-scheme: dark) { p { color: #eee; } }</style></head>
<body><main><h1>Flawed</h1><p>Faint in the dark</p><img src="/missing.png">
<img src="https://example.com/seen.png" alt="a picture"></main>
<script>new Image().src = 'https://example.org/forbidden.png'; throw new Error('broken');</script>
<script src="data:text/javascript,1"></script></body></html>`;

describe('a page with flaws in a browser', () => {
  const browser = browserOfSuite();
  const policy = "default-src 'unsafe-inline' 'self' data: https://example.com; script-src 'unsafe-inline'";
  const server = createServer(({ url }, response) => {
    if (url === '/') response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy });
    else response.writeHead(404);
    response.end(url === '/' ? flawed : '');
  });
  let visitor: Visitor;

  before(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not a TCP port');
    visitor = await visitorOf(browser());
    await visitor.page.goto(`http://127.0.0.1:${address.port}/`);
  });
  after(async () => {
    server.close();
    await visitor?.leave();
  });

  it('is reported for requests to other hosts, policy violations, missing files and errors', () => {
    const violations = visitor.violations.join('\n');
    expect(violations).to.include('a request to example.com').and.include('net::ERR_NAME_NOT_RESOLVED');
    expect(violations).to.include("Loading the image 'https://example.org/forbidden.png' violates");
    expect(violations).to.include("Loading the script 'data:text/javascript,1' violates");
    expect(violations).to.include('status of 404').and.include('Error: broken');
  });

  it('is reported for accessibility problems', async () => {
    const faults = await accessibilityProblems(visitor.page);
    const where = (fault: string) =>
      faults.filter((found) => found.includes(fault)).map((found) => found.split(':')[0]);
    expect(where('pixels wider than the window')).to.deep.equal(['375 light', '375 dark']);
    expect(where('Faint in the dark is 11px high')).to.have.length(4);
    expect(where('color-contrast at p')).to.deep.equal(['375 dark', '1280 dark']);
    expect(where('image-alt at img')).to.deep.equal(['375 light', '1280 light']);
  });
});

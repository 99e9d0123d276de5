import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isUrl, targetsIn } from '../docs/link-targets.ts';

const folder = fileURLToPath(new URL('../../tools/site/', import.meta.url));
const built = fileURLToPath(new URL('../../dist/site/', import.meta.url));

describe('npm run docs:site', function () {
  this.timeout(180_000);
  before(function () {
    const installed = spawnSync('npm', ['ci', '--ignore-scripts', '--prefer-offline'], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (installed.status === 0) return;
    console.warn(`VitePress cannot be installed: the site of the documents was NOT built. ${installed.stderr}`);
    this.skip();
  });

  it('builds a site with search under a path, whose links have existing targets, and which programs can read', () => {
    const env = { ...process.env, SITE_BASE: '/latchkey/' };
    const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'docs:site'], { encoding: 'utf8', env });
    expect(status, stdout + stderr).to.equal(0);
    const pages = globSync('**/*.html', { cwd: built }).filter((path) => path !== '404.html');
    expect(readFileSync(join(built, 'index.html'), 'utf8')).to.include('href="/latchkey/docs/');
    expect(pages).to.include.members(['index.html', 'docs/index.html', 'docs/configuration.html']);
    const texts = new Map(pages.map((path) => [path, readFileSync(join(built, path), 'utf8')]));
    for (const [path, text] of texts) {
      expect(existsSync(join(built, path.replace(/html$/, 'md'))), `${path} as Markdown`).to.equal(true);
      expect(text, path).to.not.match(/<a [^>]*?href="\/(?!latchkey\/)/);
      for (const [, target = '', anchor = ''] of text.matchAll(/<a [^>]*?href="\/latchkey\/([^"#]*)(?:#([^"]*))?"/g)) {
        const file = target === '' || target.endsWith('/') ? `${target}index.html` : target;
        expect(existsSync(join(built, file)), `${path} links to ${target}`).to.equal(true);
        if (anchor !== '')
          expect(texts.get(file), `${path} links to ${target}`).to.include(`id="${decodeURI(anchor)}"`);
      }
    }
    for (const path of globSync('{llms.txt,**/*.md}', { cwd: built }))
      for (const target of targetsIn(readFileSync(join(built, path), 'utf8')).filter((found) => !isUrl(found))) {
        const [file = ''] = target.split('#');
        expect(target, path).to.not.match(/^\//);
        if (file !== '')
          expect(existsSync(join(built, dirname(path), file)), `${path} links to ${target}`).to.equal(true);
      }
    expect(globSync('assets/chunks/VPLocalSearchBox.*.js', { cwd: built })).to.have.lengthOf(1);
    expect(readFileSync(join(built, 'llms.txt'), 'utf8')).to.match(/^# Latchkey\n\n> .+\n\n## Learn/);
  });
});

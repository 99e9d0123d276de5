import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { confirmPage, confirmPolicy } from '../../../../../adapters/http/api/confirm-page-route.ts';
import {
  customPagePolicy,
  failurePage,
  page,
  pagePolicy,
  successPage,
} from '../../../../../adapters/http/pages/link-pages.ts';

const statuses = [400, 404, 500, 503];
/** Each page with its policy. */
const pages = new Map([
  ['success', [successPage, pagePolicy]],
  ...statuses.map((status) => [`failure ${status}`, [failurePage(status), pagePolicy]] as const),
  ['expired', [failurePage(400, 'token_expired'), pagePolicy]],
  ['confirm', [confirmPage('jane@example.com', 'a token'), confirmPolicy]],
] as const);

const styleOf = (page: string): string => /<style>(.*)<\/style>/s.exec(page)?.[1] ?? '';

/** The colours of the style in light or dark mode. */
const colours = (style: string, scheme: 'light' | 'dark'): ReadonlyMap<string, string> => {
  const roots = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, declarations = '']) => declarations);
  const declarations = roots[scheme === 'light' ? 0 : 1] ?? '';
  return new Map(
    [...declarations.matchAll(/--([a-z]+): (#[0-9a-f]+)/g)].map(([, name = '', colour = '']) => [name, colour]),
  );
};

/** Relative luminance (WCAG 2.2) of #rgb or #rrggbb. */
const luminance = (colour: string): number => {
  const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

describe('the pages of verification links', () => {
  for (const [name, [page, policy]] of pages) {
    describe(name, () => {
      it('is a document with a language, a title, one heading and a width for phones', () => {
        expect(page).to.match(/^<!doctype html>\n<html lang="en">/);
        expect(page).to.match(/<meta charset="utf-8">/);
        expect(page).to.match(/<title>[^<]+<\/title>/);
        expect(page.match(/<h1>[^<]+<\/h1>/g)).to.have.length(1);
        expect(page).to.include('width=device-width, initial-scale=1');
      });

      it('loads nothing external and runs no scripts', () => {
        expect(page).to.not.match(/<script|\son[a-z]+=|javascript:|@import|url\(|<iframe|<img/i);
        const references = [...page.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, target]) => target);
        expect(references.filter((target) => target?.startsWith('data:') !== true)).to.deep.equal([]);
      });

      it('has exactly the style whose hash is in its policy', () => {
        const hash = createHash('sha256').update(styleOf(page)).digest('base64');
        expect(policy).to.include(`style-src 'sha256-${hash}';`);
        expect(page.match(/<style/g)).to.have.length(1);
        expect(page).to.not.match(/\sstyle=/);
      });
    });
  }

  it('allow forms only on the page that has one', () => {
    for (const [name, [page, policy]] of pages) {
      const [forms, target] = name === 'confirm' ? [1, "'self'"] : [0, "'none'"];
      expect(page.match(/<form/g) ?? [], name).to.have.length(forms);
      expect(policy).to.include(`; form-action ${target};`).and.not.include('script-src');
    }
  });

  it('show any address, and send any address and token unchanged', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(text, text, (address, token) => {
        const [, action = ''] =
          /<form method="post" action="([^"<>]*)"><button>/.exec(confirmPage(address, token)) ?? [];
        const target = new URL(
          action.replaceAll('&#39;', "'").replaceAll('&amp;', '&'),
          'https://a.example/b/verify?c=d',
        );
        expect(target.origin + target.pathname).to.equal('https://a.example/b/verify/confirm');
        expect([...target.searchParams]).to.deep.equal([
          ['email', address],
          ['token', token],
        ]);
      }),
    );
    expect(confirmPage('<b>&"\'', 't')).to.include('confirm that &lt;b&gt;&amp;&quot;&#39; is yours');
  });

  it('say that the account has been verified', () => {
    expect(successPage).to.match(/<h1>[^<]*account has been verified<\/h1>/);
  });

  it('have a text for each failure', () => {
    const titleOf = (html: string) => /<title>([^<]+)/.exec(html)?.[1];
    expect(new Set(statuses.map((status) => titleOf(failurePage(status))))).to.have.property('size', statuses.length);
    expect(failurePage(599)).to.equal(failurePage(500));
    expect(titleOf(failurePage(400, 'token_expired'))).to.not.equal(titleOf(failurePage(400)));
    expect(failurePage(400, 'token_mismatch')).to.equal(failurePage(400));
  });

  it('escape all texts', () => {
    const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const;
    const shown = (html: string): string =>
      html.replace(
        /&(?:lt|gt|quot|#39|amp);/g,
        (entity) => new Map<string, string>(Object.entries(entities)).get(entity) ?? '',
      );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('<script>', '</title>', '"', "'", '&lt;', '$&'),
    );
    fc.assert(
      fc.property(text, text, fc.option(text, { nil: undefined }), (title, sentence, hint) => {
        const shownPage = page('problem', hint === undefined ? { title, sentence } : { title, sentence, hint });
        const parts =
          /<title>([^<]*)<\/title>.*<h1>([^<]*)<\/h1>\n<p>([^<]*)<\/p>(?:\n<p class="hint">([^<]*)<\/p>)?\n<\/main>/s;
        const found = parts
          .exec(shownPage)
          ?.slice(1)
          .map((part) => (part === undefined ? undefined : shown(part)));
        expect(found).to.deep.equal([title, title, sentence, hint]);
      }),
    );
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`have contrasts of at least 4.5 in ${scheme} mode`, () => {
      const named = colours(styleOf(successPage), scheme);
      for (const ink of ['ink', 'soft', 'done', 'problem']) {
        expect(contrast(named.get(ink) ?? '', named.get('card') ?? ''), ink).to.be.at.least(4.5);
      }
    });
  }

  it('have a button with a contrast of at least 4.5 in both modes', () => {
    const declarations = [...styleOf(confirmPage('a@b.c', 't')).matchAll(/--ask: (#\w+); --on-ask: (#\w+)/g)];
    expect(declarations).to.have.length(2);
    for (const [, ask = '', ink = ''] of declarations) expect(contrast(ask, ink)).to.be.at.least(4.5);
  });

  it("allow an operator's own page styles and images, but no script, frame or form", () => {
    for (const policy of [pagePolicy, customPagePolicy]) {
      expect(policy).to.match(/^default-src 'none'; /);
      expect(policy).to.include("frame-ancestors 'none'").and.include("form-action 'none'");
      expect(policy).to.not.match(/script-src|connect-src|unsafe-eval|\*/);
    }
    expect(pagePolicy).to.not.include('unsafe-inline');
    expect(customPagePolicy).to.include("style-src 'unsafe-inline'").and.include('img-src data: https:');
  });
});

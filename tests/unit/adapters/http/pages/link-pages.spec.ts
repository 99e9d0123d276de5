import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { confirmPage as confirmPageIn } from '../../../../../adapters/http/api/verification/confirm-page-route.ts';
import { english } from '../../../../../adapters/http/pages/english-pages.ts';
import { german } from '../../../../../adapters/http/pages/german-pages.ts';
import {
  customPagePolicy,
  failurePage,
  type HtmlPage,
  linkPage,
} from '../../../../../adapters/http/pages/link-pages.ts';
import {
  aboutAddress,
  askText,
  directionOf,
  failureText,
  type PageLanguage,
} from '../../../../../adapters/http/pages/page-texts.ts';
import { codePoint } from '../../../../../sdk/contract/arbitraries.ts';

const statuses = [400, 404, 500, 503];
const arabic: PageLanguage = { ...english, tag: 'ar', direction: 'rtl' };

const pagesIn = (language: PageLanguage): ReadonlyMap<string, HtmlPage> =>
  new Map([
    ['success', linkPage('done', language.texts.verification.done, language)],
    ...statuses.map((status) => [`failure ${status}`, failurePage(language, 'verification', status)] as const),
    ['expired', failurePage(language, 'verification', 400, 'token_expired')],
    ['confirm', confirmPageIn('jane@example.com', 'a token', language)],
  ]);

const confirmPage = (address: string, token: string): string => confirmPageIn(address, token, english).html;
const successPage = linkPage('done', english.texts.verification.done, english);
const failureHtml = (status: number, code?: string): string => failurePage(english, 'verification', status, code).html;

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

describe('the pages of links', () => {
  it('keep the English pages of verification links byte for byte', () => {
    const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
    const kept = ['success', 'failure 400', 'failure 404', 'failure 500', 'failure 503', 'expired', 'confirm'];
    const pages = pagesIn(english);
    const digests = kept.map((name) => digest(`${pages.get(name)?.policy}${pages.get(name)?.html}`));
    expect(digests).to.deep.equal([
      'bfc109dcca42',
      '992e0541feb1',
      'd4443c932eb2',
      'c56fbac062d7',
      '7b0ec347f1ce',
      '271a0935ed07',
      '7743d6927610',
    ]);
  });

  it('name the product in the title and above the heading, escaped', () => {
    for (const [name, { html, policy }] of pagesIn({ ...english, brand: { name: 'Fish & <Chips>', logo: null } })) {
      expect(html, name).to.match(/<title>[^<]+ – Fish &amp; &lt;Chips&gt;<\/title>/);
      expect(html, name).to.match(/<main[^>]*>\n<p class="brand">Fish &amp; &lt;Chips&gt;<\/p>\n/);
      const digest = createHash('sha256').update(styleOf(html)).digest('base64');
      expect(policy, name).to.include(`style-src 'sha256-${digest}'`);
    }
  });

  it('lead to the product at their end, unless they ask or the service has failed', () => {
    const product = { name: 'Fish & <Chips>', url: 'https://shop.example/?a=1&b=2#c' };
    const link = (label: string) =>
      `<p class="next"><a href="https://shop.example/?a=1&amp;b=2#c">${label}</a></p>\n</main>`;
    for (const [language, label] of [
      [english, 'Continue to Fish &amp; &lt;Chips&gt;'],
      [german, 'Weiter zu Fish &amp; &lt;Chips&gt;'],
      [arabic, 'Continue to \u2068Fish &amp; &lt;Chips&gt;\u2069'],
    ] as const)
      for (const [name, { html }] of pagesIn({ ...language, product }))
        if (['confirm', 'failure 500', 'failure 503'].includes(name)) expect(html, name).to.not.include('shop.example');
        else expect(html, name).to.include(link(label));
  });

  it('say how long the link worked that has expired', () => {
    const shown = (language: PageLanguage, kind: 'verification' | 'recovery' | 'change') =>
      failurePage({ ...language, lifetime: () => '2 hours' }, kind, 400, 'token_expired').html;
    for (const kind of ['verification', 'recovery', 'change'] as const) {
      expect(shown(english, kind)).to.include(' works for 2\u00a0hours.</p>');
      expect(shown(german, kind)).to.include(' nur 2\u00a0hours lang.</p>');
    }
    expect(shown(arabic, 'change')).to.include(' works for \u20682\u00a0hours\u2069.</p>');
  });

  it('say how long a link works where they ask, and where a link does not work', () => {
    const limited = (language: PageLanguage) => ({ ...language, lifetime: () => '2 hours' });
    for (const kind of ['verification', 'recovery', 'change', 'cancellation'] as const) {
      for (const [language, text] of [
        [english, ' for 2\u00a0hours.'],
        [german, ' 2\u00a0hours lang.'],
        [arabic, ' for \u20682\u00a0hours\u2069.'],
      ] as const) {
        const hints = [askText(kind, limited(language)).hint, failureText(limited(language), kind, 400).hint];
        for (const hint of hints) expect(hint?.endsWith(text), hint ?? 'no hint').to.equal(true);
        expect(askText(kind, language), 'for ever').to.equal(language.texts[kind].ask);
        expect(failureText(language, kind, 400), 'for ever').to.equal(language.texts[kind].invalid);
      }
      const { lifetime: _, ...others } = english.texts[kind];
      const older = { ...limited(english), texts: { ...english.texts, [kind]: others } };
      expect(askText(kind, older), 'texts of an older configuration').to.equal(others.ask);
    }
    const { html } = failurePage(limited(english), 'recovery', 400);
    expect(html).to.include(' A link works once, and for 2\u00a0hours.</p>');
  });

  it('have every text in each language', () => {
    const leaves = (value: object): readonly string[] =>
      Object.entries(value).flatMap(([key, inner]) =>
        typeof inner === 'string' ? [key] : leaves(inner).map((path) => `${key}.${path}`),
      );
    const withoutHints = (texts: object) => leaves(texts).filter((path) => !path.endsWith('hint'));
    expect(withoutHints(german.texts)).to.deep.equal(withoutHints(english.texts));
    for (const kind of ['verification', 'change', 'cancellation'] as const)
      for (const { texts } of [english, german]) expect(texts[kind].ask.sentence).to.include('CODEGEN-ADDRESS');
  });

  for (const [tag, direction] of [
    ['en', 'ltr'],
    ['de-AT', 'ltr'],
    ['ar', 'rtl'],
    ['he-IL', 'rtl'],
    ['fa', 'rtl'],
    ['ur', 'rtl'],
    ['az', 'ltr'],
    ['az-Arab', 'rtl'],
    ['yi', 'rtl'],
  ] as const)
    it(`are written in ${direction} for ${tag}`, () => expect(directionOf(tag)).to.equal(direction));

  it('isolate an address in a text from right to left', () => {
    const text = { title: 't', sentence: 'a CODEGEN-ADDRESS b' };
    expect(aboutAddress(text, 'x@y.z', arabic).sentence).to.equal('a \u2068x@y.z\u2069 b');
    expect(aboutAddress(text, 'x@y.z', english).sentence).to.equal('a x@y.z b');
  });

  for (const language of [english, german, arabic])
    for (const [name, { html: page, policy }] of pagesIn(language))
      describe(`${name} in ${language.tag}`, () => {
        it('is a document with a language, a title, one heading and a width for phones', () => {
          expect(page).to.include(
            `<!doctype html>\n<html lang="${language.tag}"${language === arabic ? ' dir="rtl"' : ''}>`,
          );
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

  it('allow forms only on the page that has one', () => {
    for (const [name, { html: page, policy }] of pagesIn(english)) {
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
    expect(confirmPage('<b>&"\'', 't')).to.include(
      'verify that <span class="address">&lt;b&gt;&amp;&quot;&#39;</span> is yours',
    );
  });

  it('say that the account has been verified', () => {
    expect(successPage.html).to.match(/<h1>[^<]*account has been verified<\/h1>/);
    expect(english.texts.verification.done.sentence).not.to.include('address');
  });

  it('say of a link that works again only what may have ended it', () => {
    expect(german.texts.verification.invalid.sentence).not.to.include('benutzt');
    for (const { texts } of [english, german])
      for (const code of ['token_mismatch', 'token_expired'])
        expect(failurePage({ ...english, texts }, 'cancellation', 400, code).html).to.match(
          /already cancelled, confirmed or replaced|schon abgebrochen, bestätigt oder ersetzt/,
        );
  });

  it('have a text for each failure', () => {
    const titleOf = (html: string) => /<title>([^<]+)/.exec(html)?.[1];
    expect(new Set(statuses.map((status) => titleOf(failureHtml(status))))).to.have.property('size', statuses.length);
    expect(failureHtml(599)).to.equal(failureHtml(500)).and.equal(failureHtml(429));
    expect(failurePage(english, 'recovery', 429).html).to.include('Too many attempts');
    expect(titleOf(failureHtml(400, 'token_expired'))).to.not.equal(titleOf(failureHtml(400)));
    expect(failureHtml(400, 'token_mismatch')).to.equal(failureHtml(400));
  });

  it('escape all texts', () => {
    const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const;
    const shown = (html: string): string =>
      html.replace(
        /&(?:lt|gt|quot|#39|amp);/g,
        (entity) => new Map<string, string>(Object.entries(entities)).get(entity) ?? '',
      );
    const text = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.constantFrom('<script>', '</title>', '"', "'", '&lt;', '$&'),
    );
    fc.assert(
      fc.property(text, text, fc.option(text, { nil: undefined }), (title, sentence, hint) => {
        const { html: shownPage } = linkPage('problem', { title, sentence, hint }, english);
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
      const named = colours(styleOf(successPage.html), scheme);
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
    for (const policy of [successPage.policy, customPagePolicy]) {
      expect(policy).to.match(/^default-src 'none'; /);
      expect(policy).to.include("frame-ancestors 'none'").and.include("form-action 'none'");
      expect(policy).to.not.match(/script-src|connect-src|unsafe-eval|\*/);
    }
    expect(successPage.policy).to.not.include('unsafe-inline');
    expect(customPagePolicy).to.include("style-src 'unsafe-inline'").and.include('img-src data: https:');
  });
});

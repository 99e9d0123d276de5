import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The widths of a phone and a laptop, in CSS pixels. */
const widths = [375, 1280] as const;
const schemes = ['light', 'dark'] as const;

/** The smallest readable font size, in CSS pixels. */
const smallest = 12;

/** Elements with smaller text. */
const smallTexts = `[...document.querySelectorAll('body *')]
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''))
  .filter((element) => element.checkVisibility() && parseFloat(getComputedStyle(element).fontSize) < ${smallest})
  .map((element) => element.textContent.trim().slice(0, 40) + ' is ' + getComputedStyle(element).fontSize + ' high')`;

/** How much wider than the window the page is. */
const overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;

/** Waits until the page was rendered, and finishes all animations. */
const settle = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => document.getAnimations().forEach((animation) => animation.finish()))`;

/** The rules of axe-core that judge colours. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Runs axe-core, which must be loaded, on the page without its frames: all rules, or `only` some. */
const violations = async (
  page: Page,
  without: readonly string[],
  only?: readonly string[],
): Promise<readonly string[]> => {
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const runOnly = only?.filter((rule) => !without.includes(rule));
  const options = JSON.stringify({ iframes: false, resultTypes: ['violations'], rules, runOnly });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => `${id} at ${target}: ${[...any, ...all, ...none][0]?.message}`),
  );
};

const problemsAsShown = async (
  page: Page,
  without: readonly string[],
  only?: readonly string[],
): Promise<readonly string[]> => {
  const tooWide = await page.evaluate<number>(overflow);
  const tooSmall = await page.evaluate<string[]>(smallTexts);
  const sideways = tooWide > 0 ? [`${tooWide} pixels wider than the window`] : [];
  return [...sideways, ...tooSmall, ...(await violations(page, without, only))];
};

/**
 * The accessibility problems of a page at each width and in each colour scheme: small text, horizontal scrolling, and
 * the findings of axe-core except those of the rules `without`.
 */
export const accessibilityProblems = async (
  page: Page,
  without: readonly string[] = [],
): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const width of widths) {
    for (const colorScheme of schemes) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate(settle);
      // Of the findings of axe-core, a scheme changes those about colours only.
      const faults = await problemsAsShown(page, without, colorScheme === 'dark' ? ofColours : undefined);
      found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`));
    }
  }
  return found;
};

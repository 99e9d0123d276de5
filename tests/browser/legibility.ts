import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** A telephone and a laptop, as widths in pixels of CSS. */
const widths = [375, 1280] as const;
const schemes = ['light', 'dark'] as const;

/** The smallest text that can be read without effort, in pixels of CSS. */
const smallest = 12;

/** Elements with text of their own that is smaller. */
const smallTexts = `[...document.querySelectorAll('body *')]
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== ''))
  .filter((element) => element.checkVisibility() && parseFloat(getComputedStyle(element).fontSize) < ${smallest})
  .map((element) => element.textContent.trim().slice(0, 40) + ' is ' + getComputedStyle(element).fontSize + ' high')`;

/** By how much the page is wider than its window. */
const overflow = `document.documentElement.scrollWidth - document.documentElement.clientWidth`;

/** Waits until the page has taken up what changed, then ends what is moving or fading. */
const settle = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  .then(() => document.getAnimations().forEach((animation) => animation.finish()))`;

/** What axe-core, which is there by now, finds in a page, frames left out. */
const violations = async (page: Page, without: readonly string[]): Promise<readonly string[]> => {
  const rules = Object.fromEntries(without.map((rule) => [rule, { enabled: false }]));
  const options = JSON.stringify({ iframes: false, resultTypes: ['violations'], rules });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(document, ${options})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any, all, none }) => `${id} at ${target}: ${[...any, ...all, ...none][0]?.message}`),
  );
};

const faultsAsShown = async (page: Page, without: readonly string[]): Promise<readonly string[]> => {
  const tooWide = await page.evaluate<number>(overflow);
  const tooSmall = await page.evaluate<string[]>(smallTexts);
  const sideways = tooWide > 0 ? [`${tooWide} pixels wider than the window`] : [];
  return [...sideways, ...tooSmall, ...(await violations(page, without))];
};

/**
 * What keeps people from reading a page, at each width and in each colour scheme: text that is too small, a page that
 * has to be moved sideways, and everything that axe-core finds, except by the rules `without`.
 */
export const illegible = async (page: Page, without: readonly string[] = []): Promise<readonly string[]> => {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const width of widths) {
    for (const colorScheme of schemes) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate(settle);
      const faults = await faultsAsShown(page, without);
      found.push(...faults.map((fault) => `${width} ${colorScheme}: ${fault}`));
    }
  }
  return found;
};

/** What a mail may do in its frame: open a link in a window of its own, which is then like any other. */
export const frameRights = 'allow-popups allow-popups-to-escape-sandbox';

/**
 * The Content-Security-Policy of the HTML of a mail: its own styles and the pictures that it holds, nothing from
 * elsewhere, and no script. The sandbox holds also where somebody opens the body by itself.
 */
export const bodyPolicy = `default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox ${frameRights}`;

// The frame itself may not go anywhere else, so that links have to open a window.
const base = '<base target="_blank">';
const places = [/<head\b[^<>]*>/i, /<html\b[^<>]*>/i, /<!doctype[^<>]*>/i];

/** The HTML of a mail as its frame shows it. */
export const framedBody = (html: string): string => {
  const place = places.find((pattern) => pattern.test(html));
  return place === undefined ? base + html : html.replace(place, (tag) => tag + base);
};

/** A document without code, in which brackets are not links. */
const prose = (text: string): string =>
  text.replaceAll(/^( *)(```+|~~~+)[\s\S]*?^\1\2$/gm, '').replaceAll(/(`+)(?:(?!\1)[\s\S])+?\1/g, 'code');

/** The targets of links and images in all Markdown forms used here. */
export const targetsIn = (text: string): readonly string[] =>
  [
    ...prose(text).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose(text).matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
    ...prose(text).matchAll(/\b(?:src|href)="([^"]+)"/g),
  ].map(([, target = '']) => target);

/** Whether a target is a URL instead of a path. */
export const isUrl = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target);

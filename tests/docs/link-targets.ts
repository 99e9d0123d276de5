/** A document without what stands in fenced blocks and in code, where brackets are no links. */
const prose = (text: string): string =>
  text.replaceAll(/^( *)(```+|~~~+)[\s\S]*?^\1\2$/gm, '').replaceAll(/(`+)(?:(?!\1)[\s\S])+?\1/g, 'code');

/** The targets of links and pictures, in every form that Markdown has here. */
export const targetsIn = (text: string): readonly string[] =>
  [
    ...prose(text).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
    ...prose(text).matchAll(/^\[[^\]]+\]:\s+(\S+)/gm),
    ...prose(text).matchAll(/\b(?:src|href)="([^"]+)"/g),
  ].map(([, target = '']) => target);

/** Whether a target is a URL, and no path from the document. */
export const isElsewhere = (target: string): boolean => /^[a-z][a-z+.-]*:/i.test(target);

import { type Html, html } from '../../../pages/html.ts';

/** The tokens of valid JSON, without white space. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** The longest JSON that is indented, in characters: indentation multiplies the size of nested lists by 30. */
const maxIndentedLength = 16 * 1024;

/**
 * Indents JSON that is short enough, with one line per member and item. Names and values keep their text, so that no
 * number is rounded.
 */
export const indentedJson = (json: string): string => {
  if (json.length > maxIndentedLength) return json;
  let depth = 0;
  let previous = '';
  let text = '';
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (const [token] of json.matchAll(jsonTokens)) {
    const closes = token === '}' || token === ']';
    const isEmpty = closes && (previous === '{' || previous === '[');
    if (closes) depth--;
    if (!isEmpty && (closes || previous === '{' || previous === '[' || previous === ',')) text += line();
    text += token === ':' ? ': ' : token;
    if (token === '{' || token === '[') depth++;
    previous = token;
  }
  return text;
};

const classOf = (token: string, isName: boolean): string => {
  if (token.startsWith('"')) return isName ? 'name' : 'string';
  return /^[\d-]/.test(token) ? 'number' : 'name';
};

/** JSON for people: indented, with a class for each name and value; as it is stored if it is too long for that. */
export const readableJson = (stored: string): Html => {
  if (stored.length > maxIndentedLength) return html`${stored}`;
  const json = indentedJson(stored);
  const parts: Html[] = [];
  let written = 0;
  for (const { 0: token, index } of json.matchAll(jsonTokens)) {
    if (/^[{}[\],:]$/.test(token)) continue;
    const end = index + token.length;
    parts.push(html`${json.slice(written, index)}<span class="${classOf(token, json[end] === ':')}">${token}</span>`);
    written = end;
  }
  return html`${parts}${json.slice(written)}`;
};

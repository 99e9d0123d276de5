// Proves that every regular expression of the service takes linear time for any input. Otherwise a caller could block
// the process with a long header. `node tools/check-regexps.js [FOLDER...]`
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from '@swc/core';
import { check } from 'recheck';

const service = ['domain', 'application', 'adapters', 'bootstrap'];
const folders = process.argv.length > 2 ? process.argv.slice(2) : service;

/**
 * Files whose expressions are too large for a proof, with the length of their longest input. A fuzzer must find no attack
 * that is as short.
 */
const longestInputs = new Map([['domain/email-address.ts', 254]]);

const sourcesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => /\.[cm]?[jt]sx?$/.test(name))
    .map((name) => join(folder, name));

function* nodesIn(node) {
  if (typeof node !== 'object' || node === null) return;
  if (typeof node.type === 'string') yield node;
  for (const child of Object.values(node)) yield* nodesIn(child);
}

/** Whether an expression is created at run time: with the class, or with a method that creates one from a string. */
const isConstructed = ({ type, callee, arguments: given }) => {
  if (type !== 'NewExpression' && type !== 'CallExpression') return false;
  const name = callee.type === 'MemberExpression' ? callee.property.value : callee.value;
  if (name === 'RegExp') return true;
  return (
    ['match', 'matchAll', 'search'].includes(name) &&
    /^(StringLiteral|TemplateLiteral)$/.test(given?.[0]?.expression.type)
  );
};

/** The regular expressions of a file; those created at run time have no pattern. */
const expressionsIn = async (file) => {
  const source = readFileSync(file);
  // Spans count bytes from 1.
  const before = ({ span }) => source.subarray(0, span.start - 1).toString();
  const nodes = [...nodesIn(await parse(source.toString(), { syntax: 'typescript', target: 'es2022' }))];
  return nodes
    .filter((node) => node.type === 'RegExpLiteral' || isConstructed(node))
    .map((node) => ({
      file,
      place: `${file}:${before(node).split('\n').length}`,
      pattern: node.pattern,
      flags: node.flags,
    }));
};

/** The problem of an expression; undefined if it is proven to be linear. */
const problemOf = async ({ file, pattern, flags }) => {
  if (pattern === undefined) return 'is created at run time and cannot be checked';
  const maxAttackStringSize = longestInputs.get(relative('.', file));
  const checker =
    maxAttackStringSize === undefined ? { checker: 'automaton' } : { checker: 'fuzz', maxAttackStringSize };
  const found = await check(pattern, flags, { ...checker, timeout: 60_000 });
  if (found.status === 'safe') return undefined;
  if (found.status === 'unknown') return `cannot be proven to be linear: ${found.error.message ?? found.error.kind}`;
  return `is ${found.complexity.summary}, with ${found.attack.pattern}`;
};

const expressions = (await Promise.all(folders.flatMap(sourcesIn).map(expressionsIn))).flat();
let unproven = 0;
for (const expression of expressions) {
  const problem = await problemOf(expression);
  if (problem === undefined) continue;
  unproven++;
  console.error(`${expression.place}: /${expression.pattern ?? '...'}/ ${problem}`);
}
console.log(`regexps: ${expressions.length} expressions, ${unproven} not proven to be linear`);
if (folders === service && expressions.length < 50) {
  console.error('regexps: found too few expressions for a meaningful result');
  process.exit(1);
}
process.exit(unproven === 0 ? 0 : 1);

import { readFileSync } from 'node:fs';

/** A fenced block of a document. */
export interface FencedBlock {
  readonly language: string;
  readonly text: string;
  /** The line on which its text begins, counted from 1. */
  readonly line: number;
}

const fence = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a document in the folder `docs`, in order. */
export const fencedBlocksOf = (name: string): readonly FencedBlock[] => {
  const document = readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');
  return [...document.matchAll(fence)].map(({ 1: language = '', 2: text = '', index }) => ({
    language,
    text,
    line: document.slice(0, index).split('\n').length + 1,
  }));
};

import type { FencedBlock } from '../docs/fenced-blocks.ts';

/** A part of a file, as a document shows it. */
export interface ShownFile {
  readonly file: string;
  readonly part: string;
  readonly line: number;
}

/** The part of a file that a block shows: its first line is a comment that names the file. Undefined for any other block. */
export const shownFileOf = ({ text, line }: FencedBlock): ShownFile | undefined => {
  const [head, file] = /^(?:\/\/|#) ([\w/.-]+\.\w+)\n/.exec(text) ?? [];
  return head === undefined || file === undefined ? undefined : { file, part: text.slice(head.length), line };
};

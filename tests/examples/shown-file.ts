import type { FencedBlock } from '../docs/fenced-blocks.ts';

/** A part of a file in a document. */
export interface ShownFile {
  readonly file: string;
  readonly part: string;
  readonly line: number;
}

/** The file of a block whose first line is a comment with a file name; undefined for other blocks. */
export const shownFileOf = ({ text, line }: FencedBlock): ShownFile | undefined => {
  const [head, file] = /^(?:\/\/|#) ([\w/.-]+\.\w+)\n/.exec(text) ?? [];
  return head === undefined || file === undefined ? undefined : { file, part: text.slice(head.length), line };
};

/** What a list shows of a mail. */
export interface ListedMail {
  readonly id: string;
  /** The recipients, separated by commas. */
  readonly to: string;
  readonly subject: string;
  /** When it was written; undefined when it does not say so. */
  readonly time: Date | undefined;
}

/** A mail with its bodies; one that it does not have is empty. */
export interface OpenedMail extends ListedMail {
  readonly from: string;
  readonly text: string;
  readonly html: string;
}

/** The mails that were written instead of sent. Its methods throw when they can't be read. */
export interface Outbox {
  /** The newest mails, the newest first. */
  list(): Promise<readonly ListedMail[]>;
  /** Undefined when there is no such mail. */
  find(id: string): Promise<OpenedMail | undefined>;
}

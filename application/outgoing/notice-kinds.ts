/** The changes of which users can be told. */
export const noticeTopics = ['password', 'address', 'recovery', 'state'] as const;

export type NoticeTopic = (typeof noticeTopics)[number];

/** The kinds of mails that tell users of a change, at the address from before it. */
export const noticeKinds = [
  'passwordNotice',
  'recoveryNotice',
  'addressNotice',
  'disabledNotice',
  'enabledNotice',
  'deletedNotice',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

export const isNotice = (kind: string): kind is NoticeKind => noticeKinds.some((notice) => notice === kind);

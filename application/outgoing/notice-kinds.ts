/** The changes of which users can be told. */
export const noticeTopics = ['password', 'address', 'recovery', 'state'] as const;

export type NoticeTopic = (typeof noticeTopics)[number];

/** A kind of mail that tells users of a change, at the address from before it. */
export type NoticeKind = `${'password' | 'recovery' | 'address' | 'disabled' | 'enabled' | 'deleted'}Notice`;

/** Something for each kind of notice. */
export const forNotices = <Value>(of: (kind: NoticeKind) => Value): Readonly<Record<NoticeKind, Value>> => ({
  passwordNotice: of('passwordNotice'),
  recoveryNotice: of('recoveryNotice'),
  addressNotice: of('addressNotice'),
  disabledNotice: of('disabledNotice'),
  enabledNotice: of('enabledNotice'),
  deletedNotice: of('deletedNotice'),
});

export const noticeKinds: readonly NoticeKind[] = Object.values(forNotices((kind) => kind));

export const isNotice = (kind: string): kind is NoticeKind => noticeKinds.some((notice) => notice === kind);

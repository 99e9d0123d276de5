import { isLeft } from 'fp-ts/lib/Either.js';
import { administrator as by } from '../../../../../application/administration/administrator.ts';
import type { QueryBus } from '../../../../../application/bus.ts';
import { withTimeout } from '../../../../../application/interceptor.ts';
import { adminPaths } from '../../../paths.ts';
import type { Figures } from '../../status-pages.ts';
import type { AdministrationFeatures } from '../administered-user.ts';

/** The most blocked users and mails that are counted, because each costs the database a read. */
const most = 200;
/** How long the figures may take; the page is shown without those that take longer. */
const timeoutMs = 2_000;
/** How long figures are shown again: a reload must not cost the database another search. */
const freshMs = 10_000;

const notKnown = 'not known: the database does not answer';

/** A count with its noun, for texts such as `30 users` and `200 or more mails`. */
const counted = (count: number, isAll: boolean, noun: string): string =>
  `${count}${isAll ? '' : ' or more'} ${noun}${count === 1 && isAll ? '' : 's'}`;

/** What the index says about users and mails. Bounded for any number of them, and never rejects. */
export class StatusFigures {
  private last: { readonly atMs: number; readonly figures: Promise<Figures> } | undefined;

  constructor(
    private readonly queries: QueryBus,
    private readonly features: Pick<AdministrationFeatures, 'countsPasswords' | 'queuesMails'>,
  ) {}

  read(): Promise<Figures> {
    const now = performance.now();
    if (this.last !== undefined && now <= this.last.atMs + freshMs) return this.last.figures;
    const last = { atMs: now, figures: this.count() };
    this.last = last;
    void last.figures.then((figures) => {
      const isKnown = [...figures.values()].every((figure) => !figure.includes(notKnown));
      if (!isKnown && this.last === last) this.last = undefined;
    });
    return last.figures;
  }

  private async count(): Promise<Figures> {
    const [users, blocked, mails] = await Promise.all([
      this.known(() => this.users()),
      this.features.countsPasswords ? this.known(() => this.blocked()) : 'not counted',
      this.features.queuesMails ? this.known(() => this.mails()) : undefined,
    ]);
    return new Map([
      [adminPaths.administration, users === notKnown ? users : `${users}, blocked now: ${blocked}`],
      ...(mails === undefined ? [] : [[adminPaths.waitingMails, mails] as const]),
    ]);
  }

  private known(count: () => Promise<string>): Promise<string> {
    return withTimeout(timeoutMs, count(), () => new Error('too late')).catch(() => notKnown);
  }

  private async users(): Promise<string> {
    const listed = await this.queries.dispatch({ type: 'ListUsers', by, limit: 1, total: true });
    const total = isLeft(listed) ? null : listed.right.total;
    return total == null ? 'users are not counted by this database' : counted(total.count, total.isExact, 'user');
  }

  private async blocked(): Promise<string> {
    const listed = await this.queries.dispatch({ type: 'ListUsers', by, limit: most, state: 'blocked' });
    if (isLeft(listed)) return 'not known';
    const { users, next } = listed.right;
    return next === undefined ? String(users.length) : `${users.length} or more`;
  }

  private async mails(): Promise<string> {
    const { mails, next } = await this.queries
      .dispatch({ type: 'ListMails', by, limit: most })
      .then((listed) => (isLeft(listed) ? { mails: [], next: undefined } : listed.right));
    return counted(mails.length, next === undefined, 'mail');
  }
}

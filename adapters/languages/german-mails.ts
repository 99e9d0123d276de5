import { addressPlaceholder } from '../../application/outgoing/mail-templates.ts';
import { type LanguageFrame, noticeWords, type WordsFor } from './mail-words.ts';

export const frame: LanguageFrame = {
  tag: 'de',
  otherwise: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diesen Link:',
};

/** The words of each mail about an account, which is one of the product if that has a name. */
export const wordsFor: WordsFor = (product, lifetime) => {
  const at = product === null ? '' : ` bei ${product}`;
  const works = lifetime === null ? '' : `Der Link funktioniert ${lifetime} lang. `;
  const once = `funktioniert einmal und nur ${lifetime === null ? 'für begrenzte Zeit' : `${lifetime} lang`}`;
  const ifYou = 'Wenn Sie das waren, müssen Sie nichts tun. Wenn Sie das nicht waren';
  const orContact = 'Falls Ihnen das bei der Anmeldung nicht gelingt, wenden Sie sich an uns.';
  const account = `Ihr Konto: ${addressPlaceholder}`;
  return {
    verification: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      preview: `Ein Klick bestätigt diese Adresse für Ihr Konto${at}.`,
      textLead: `Mit dieser E-Mail-Adresse wurde ein Konto${at} angelegt. Wenn Sie das waren, öffnen Sie diesen Link, um die Adresse zu bestätigen:`,
      htmlLead: `Mit dieser E-Mail-Adresse wurde ein Konto${at} angelegt. Wenn Sie das waren, bestätigen Sie die Adresse mit der Schaltfläche.`,
      button: 'E-Mail-Adresse bestätigen',
      note: `${works}Wenn Sie das nicht waren, ignorieren Sie diese E-Mail und öffnen Sie den Link nicht: Die Adresse bleibt unbestätigt.`,
    },
    verificationCode: {
      subject: 'Ihr Code zum Bestätigen Ihrer E-Mail-Adresse',
      title: 'Bestätigen Sie Ihre E-Mail-Adresse',
      preview: `Mit diesem Code bestätigen Sie diese Adresse für Ihr Konto${at}.`,
      textLead: `Mit dieser E-Mail-Adresse wurde ein Konto${at} angelegt. Wenn Sie das waren, geben Sie diesen Code ein, um die Adresse zu bestätigen:`,
      button: null,
      note: `Der Code funktioniert ${lifetime === null ? 'nur für begrenzte Zeit' : `${lifetime} lang`}. Geben Sie ihn nicht weiter. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Die Adresse bleibt unbestätigt.`,
    },
    recovery: {
      subject: 'Wählen Sie ein neues Passwort',
      preview: `Mit diesem Link wählen Sie ein neues Passwort für Ihr Konto${at}.`,
      textLead: `Für Ihr Konto${at} wurde ein neues Passwort angefordert. Wenn Sie das waren, öffnen Sie diesen Link, um es zu wählen:`,
      htmlLead: `Für Ihr Konto${at} wurde ein neues Passwort angefordert. Wenn Sie das waren, wählen Sie es mit der Schaltfläche.`,
      button: 'Neues Passwort wählen',
      note: `Der Link ${once}. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail und öffnen Sie den Link nicht: Ihr Passwort bleibt, wie es ist. Ihr Konto: ${addressPlaceholder}`,
    },
    recoveryCode: {
      subject: 'Ihr Code für ein neues Passwort',
      title: 'Wählen Sie ein neues Passwort',
      preview: `Mit diesem Code wählen Sie ein neues Passwort für Ihr Konto${at}.`,
      textLead: `Für Ihr Konto${at} wurde ein neues Passwort angefordert. Wenn Sie das waren, geben Sie diesen Code ein:`,
      button: null,
      note: `Der Code ${once}. Geben Sie ihn nicht weiter. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist. Ihr Konto: ${addressPlaceholder}`,
    },
    invitation: {
      subject: `Ihr neues Konto${at}`,
      preview: 'Mit diesem Link wählen Sie das Passwort Ihres Kontos.',
      textLead: `Für Sie wurde ein Konto${at} angelegt. Öffnen Sie diesen Link, um ein Passwort zu wählen:`,
      htmlLead: `Für Sie wurde ein Konto${at} angelegt. Wählen Sie mit der Schaltfläche ein Passwort.`,
      button: 'Passwort wählen',
      note: `Der Link ${once} und bestätigt diese Adresse. Wenn Sie kein Konto erwarten, ignorieren Sie diese E-Mail und öffnen Sie den Link nicht. Ihr Konto: ${addressPlaceholder}`,
    },
    change: {
      subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
      preview: `Ihr Konto${at} erhält diese Adresse, sobald Sie sie bestätigen.`,
      textLead: `Diese E-Mail-Adresse soll für ein Konto${at} verwendet werden. Wenn Sie das veranlasst haben, öffnen Sie diesen Link, um die Adresse zu bestätigen:`,
      htmlLead: `Diese E-Mail-Adresse soll für ein Konto${at} verwendet werden. Wenn Sie das veranlasst haben, bestätigen Sie die Adresse mit der Schaltfläche.`,
      button: 'E-Mail-Adresse bestätigen',
      note: `${works}Wenn Sie das nicht waren, ignorieren Sie diese E-Mail und öffnen Sie den Link nicht: Es ändert sich nichts.`,
    },
    changeNotice: {
      subject: 'Ihre E-Mail-Adresse soll geändert werden',
      preview: 'Sie können die Änderung abbrechen, wenn sie nicht von Ihnen kommt.',
      textLead: `Die E-Mail-Adresse Ihres Kontos${at} soll geändert werden. Wenn Sie das nicht waren, öffnen Sie diesen Link, um die Änderung abzubrechen:`,
      htmlLead: `Die E-Mail-Adresse Ihres Kontos${at} soll geändert werden. Wenn Sie das nicht waren, brechen Sie die Änderung mit der Schaltfläche ab.`,
      button: 'Änderung abbrechen',
      note: `Wählen Sie dann ein neues Passwort, denn möglicherweise kennt jemand Ihr bisheriges. ${works}Wenn Sie das waren, müssen Sie hier nichts tun: Die Adresse ändert sich, sobald Sie die neue mit dem Link in der E-Mail bestätigen, die an sie ging. Die neue Adresse: ${addressPlaceholder}`,
    },
    passwordNotice: noticeWords(
      'Ihr Passwort wurde geändert',
      `Das Passwort Ihres Kontos${at} wurde geändert. ${ifYou}, wählen Sie sofort ein neues Passwort.`,
      `${orContact} ${account}`,
      'Neues Passwort wählen',
    ),
    recoveryNotice: noticeWords(
      'Ihr vergessenes Passwort wurde ersetzt',
      `Das Passwort Ihres Kontos${at} wurde mit dem Link oder Code aus einer E-Mail an Sie ersetzt. ${ifYou}, kann jemand Ihre E-Mails lesen: Sichern Sie Ihr Postfach, und wählen Sie dann ein neues Passwort.`,
      `${orContact} ${account}`,
      'Neues Passwort wählen',
    ),
    addressNotice: noticeWords(
      'Ihre E-Mail-Adresse wurde geändert',
      `Ihr Konto${at} hat jetzt eine andere E-Mail-Adresse. ${ifYou}, wenden Sie sich sofort an uns.`,
      `Die bisherige Adresse: ${addressPlaceholder}`,
    ),
    disabledNotice: noticeWords(
      'Ihr Konto wurde gesperrt',
      `Ihr Konto${at} wurde gesperrt, sodass Sie es nicht verwenden können. Falls Sie nicht wissen, warum, wenden Sie sich an uns.`,
      account,
    ),
    enabledNotice: noticeWords(
      'Ihr Konto wurde entsperrt',
      `Ihr Konto${at} ist nicht mehr gesperrt, sodass Sie es wieder verwenden können. Falls das nicht gelingt, wenden Sie sich an uns.`,
      account,
    ),
    deletedNotice: noticeWords(
      'Ihr Konto wurde gelöscht',
      `Ihr Konto${at} wurde gelöscht. ${ifYou}, wenden Sie sich sofort an uns.`,
      account,
    ),
    accountExists: {
      subject: 'Sie haben schon ein Konto',
      preview: `Melden Sie sich an, oder wählen Sie ein neues Passwort, statt ein weiteres Konto${at} anzulegen.`,
      textLead: `Mit Ihrer E-Mail-Adresse sollte ein Konto${at} angelegt werden, aber es gibt schon eines. Wenn Sie das waren, melden Sie sich an, oder wählen Sie ein neues Passwort:`,
      htmlLead: `Mit Ihrer E-Mail-Adresse sollte ein Konto${at} angelegt werden, aber es gibt schon eines. Wenn Sie das waren, melden Sie sich an, oder wählen Sie ein neues Passwort.`,
      button: 'Anmelden',
      note: `Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Konto bleibt, wie es ist, und niemand sonst erfährt davon. Ihr Konto: ${addressPlaceholder}`,
    },
  };
};

import { again, gone, help, invitation, recovery, tryAgain, wentWrong } from './german-password-pages.ts';
import type { PageLanguage, PageText } from './page-texts.ts';

/** Where the lifetime of links is configured. */
const lifetime = 'Ein Link funktioniert CODEGEN-LIFETIME lang.';

const changeOver: PageText = {
  title: 'Dieser Link funktioniert nicht mehr',
  sentence:
    'Die Änderung wurde schon abgebrochen, bestätigt oder ersetzt, oder nicht rechtzeitig bestätigt. Vielleicht ist der Link auch unvollständig.',
  hint: 'Wenn Ihre Adresse geändert wurde, und nicht von Ihnen, wenden Sie sich an die Stelle, bei der Sie Ihr Konto haben.',
};

/** The built-in German pages. */
export const german: PageLanguage = {
  tag: 'de',
  locale: null,
  direction: 'ltr',
  brand: null,
  continueTo: 'Weiter zu CODEGEN-PRODUCT',
  product: null,
  lifetime: null,
  texts: {
    verification: {
      lifetime,
      ask: {
        title: 'Bestätigen Sie Ihre E-Mail-Adresse',
        sentence: 'Mit der Schaltfläche bestätigen Sie, dass CODEGEN-ADDRESS Ihre Adresse ist.',
        hint: 'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite. Dann geschieht nichts.',
        button: 'E-Mail-Adresse bestätigen',
      },
      done: {
        title: 'Ihr Konto ist bestätigt',
        sentence: 'Vielen Dank. Sie können diese Seite jetzt schließen.',
      },
      invalid: {
        title: 'Dieser Link funktioniert nicht mehr',
        sentence: 'Er ist möglicherweise unvollständig, oder eine neuere E-Mail zur Bestätigung hat ihn ersetzt.',
        hint: 'Öffnen Sie den Link in der neuesten E-Mail, oder fordern Sie dort, wo Sie sich registriert haben, eine neue an.',
      },
      expired: {
        title: 'Dieser Link ist abgelaufen',
        sentence: 'Zum Schutz Ihres Kontos gilt der Link zur Bestätigung nur CODEGEN-LIFETIME lang.',
        hint: 'Fordern Sie dort, wo Sie sich registriert haben, eine neue E-Mail an, und öffnen Sie deren Link bald.',
      },
      unknown: {
        title: 'Wir konnten dieses Konto nicht finden',
        sentence: 'Das Konto wurde möglicherweise gelöscht, oder seine E-Mail-Adresse hat sich geändert.',
        hint: 'Wenn Sie gerade Ihre Adresse geändert haben, suchen Sie dort nach einer neueren E-Mail.',
      },
      unavailable: {
        title: tryAgain,
        sentence: 'Wir konnten Ihr Konto gerade nicht bestätigen. Ihr Link gilt weiterhin.',
        hint: again,
      },
      failed: {
        title: wentWrong,
        sentence: 'Wir konnten Ihr Konto nicht bestätigen. Das liegt an uns, nicht an Ihnen.',
        hint: help,
      },
    },
    recovery,
    invitation,
    change: {
      lifetime,
      ask: {
        title: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
        sentence: 'Mit der Schaltfläche benutzen Sie von nun an CODEGEN-ADDRESS für Ihr Konto.',
        hint: 'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite. Dann geschieht nichts.',
        button: 'E-Mail-Adresse bestätigen',
      },
      done: {
        title: 'Ihre E-Mail-Adresse wurde geändert',
        sentence: 'Benutzen Sie für Ihr Konto von nun an die neue Adresse. Sie können diese Seite jetzt schließen.',
      },
      taken: {
        title: 'Diese Adresse wird schon benutzt',
        sentence: 'Ein anderes Konto benutzt diese E-Mail-Adresse. Ihr Konto behält daher seine bisherige.',
        hint: 'Wählen Sie dort, wo Sie Ihr Konto haben, eine andere Adresse.',
      },
      invalid: gone,
      expired: {
        title: 'Dieser Link ist abgelaufen',
        sentence: 'Zum Schutz Ihres Kontos gilt der Link für eine neue Adresse nur CODEGEN-LIFETIME lang.',
        hint: 'Ändern Sie die Adresse dort, wo Sie Ihr Konto haben, noch einmal, und öffnen Sie den Link bald.',
      },
      unknown: gone,
      unavailable: {
        title: tryAgain,
        sentence: 'Wir konnten Ihre Adresse gerade nicht ändern. Ihr Link gilt weiterhin.',
        hint: again,
      },
      failed: {
        title: wentWrong,
        sentence: 'Wir konnten Ihre Adresse nicht ändern. Das liegt an uns, nicht an Ihnen.',
        hint: help,
      },
    },
    cancellation: {
      lifetime,
      ask: {
        title: 'Behalten Sie Ihre E-Mail-Adresse',
        sentence: 'Mit der Schaltfläche brechen Sie die Änderung ab. Ihr Konto behält dann CODEGEN-ADDRESS.',
        hint: 'Wenn die Änderung von Ihnen kommt, schließen Sie diese Seite.',
        button: 'Änderung abbrechen',
      },
      done: {
        title: 'Die Änderung wurde abgebrochen',
        sentence: 'Ihr Konto behält seine E-Mail-Adresse.',
        hint: 'Wählen Sie dort, wo Sie Ihr Konto haben, ein neues Passwort, denn möglicherweise kennt jemand Ihr bisheriges.',
      },
      invalid: changeOver,
      expired: changeOver,
      unknown: changeOver,
      unavailable: {
        title: tryAgain,
        sentence: 'Wir konnten die Änderung gerade nicht abbrechen. Ihr Link gilt weiterhin.',
        hint: again,
      },
      failed: {
        title: wentWrong,
        sentence: 'Wir konnten die Änderung nicht abbrechen. Das liegt an uns, nicht an Ihnen.',
        hint: help,
      },
    },
  },
};

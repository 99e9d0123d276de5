import type { PageLanguage, PageText, RecoveryTexts } from './page-texts.ts';

const gone: PageText = {
  title: 'Dieser Link funktioniert nicht mehr',
  sentence: 'Er ist möglicherweise unvollständig oder schon benutzt, oder eine neuere E-Mail hat ihn ersetzt.',
  hint: 'Öffnen Sie den Link in der neuesten E-Mail, oder fordern Sie dort, wo Sie Ihr Konto haben, eine neue an.',
};

const blocked: PageText = {
  title: 'Zu viele Versuche',
  sentence: 'Zum Schutz Ihres Kontos nehmen wir vorerst keine weiteren Versuche an.',
  hint: 'Warten Sie eine Weile, fordern Sie dann eine neue E-Mail an und öffnen Sie deren Link.',
};

/** Where the lifetime of links is configured. */
const lifetime = 'Ein Link funktioniert CODEGEN-LIFETIME lang.';

const help =
  'Öffnen Sie den Link in der E-Mail später noch einmal. Wenn das nicht hilft, wenden Sie sich an die Stelle, bei der Sie Ihr Konto haben.';
const again = 'Warten Sie eine Minute, und öffnen Sie dann den Link in der E-Mail noch einmal.';
const tryAgain = 'Bitte versuchen Sie es gleich noch einmal';
const wentWrong = 'Etwas ist schiefgegangen';

const changeOver: PageText = {
  title: 'Dieser Link funktioniert nicht mehr',
  sentence:
    'Die Änderung wurde schon abgebrochen, bestätigt oder ersetzt, oder nicht rechtzeitig bestätigt. Vielleicht ist der Link auch unvollständig.',
  hint: 'Wenn Ihre Adresse geändert wurde, und nicht von Ihnen, wenden Sie sich an die Stelle, bei der Sie Ihr Konto haben.',
};

const recovery: RecoveryTexts = {
  lifetime: 'Ein Link funktioniert einmal und nur CODEGEN-LIFETIME lang.',
  ask: {
    title: 'Wählen Sie ein neues Passwort',
    sentence: 'Es ersetzt das Passwort Ihres Kontos.',
    hint: 'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite: Ihr Passwort bleibt, wie es ist.',
    button: 'Passwort speichern',
  },
  address: 'E-Mail-Adresse',
  password: 'Neues Passwort',
  rules: {
    tooShort: 'Benutzen Sie mindestens CODEGEN-LIMIT Zeichen.',
    tooLong: 'Benutzen Sie höchstens CODEGEN-LIMIT Zeichen.',
    containsAddress: 'Benutzen Sie weder Ihre E-Mail-Adresse noch den Teil vor dem @.',
    known: 'Benutzen Sie weder ein bekanntes Passwort noch eines, das Sie auch sonst benutzen.',
    guessable: 'Wählen Sie eines, das schwer zu erraten ist, etwa einige Wörter ohne Zusammenhang.',
  },
  weak: 'Dieses Passwort ist zu leicht zu erraten. Wählen Sie ein längeres, das Sie nirgends sonst benutzen.',
  unsuitable: 'Dieses Passwort kann nicht benutzt werden. Wählen Sie ein anderes.',
  refused: {
    empty: 'Geben Sie ein neues Passwort ein.',
    tooShort: 'Benutzen Sie mindestens CODEGEN-LIMIT Zeichen.',
    tooLong: 'Benutzen Sie höchstens CODEGEN-LIMIT Zeichen.',
    tooManyBytes: 'Dieses Passwort ist zu lang. Wählen Sie ein kürzeres.',
    containsAddress: 'Benutzen Sie weder Ihre E-Mail-Adresse noch den Teil vor dem @ im Passwort.',
    known:
      'Dieses Passwort steht auf einer Liste bekannter Passwörter. Wählen Sie eines, das Sie nirgends sonst benutzen.',
    guessable: 'Dieses Passwort ist zu leicht zu erraten. Besser sind einige Wörter ohne Zusammenhang.',
    outerSpaces: 'Entfernen Sie Leerzeichen am Anfang und am Ende.',
    controlCharacters: 'Entfernen Sie Zeilenumbrüche und andere unsichtbare Zeichen.',
    unchanged: 'Das ist Ihr aktuelles Passwort. Wählen Sie ein anderes.',
  },
  done: {
    title: 'Ihr Passwort wurde geändert',
    sentence: 'Benutzen Sie von nun an das neue Passwort. Sie können diese Seite jetzt schließen.',
  },
  invalid: gone,
  expired: {
    title: 'Dieser Link ist abgelaufen',
    sentence: 'Zum Schutz Ihres Kontos gilt der Link für ein neues Passwort nur CODEGEN-LIFETIME lang.',
    hint: 'Fordern Sie dort, wo Sie Ihr Konto haben, eine neue E-Mail an, und öffnen Sie deren Link bald.',
  },
  unknown: gone,
  blocked,
  unavailable: {
    title: tryAgain,
    sentence: 'Wir konnten Ihr Passwort gerade nicht ändern. Ihr Link gilt weiterhin.',
    hint: again,
  },
  failed: {
    title: wentWrong,
    sentence: 'Wir konnten Ihr Passwort nicht ändern. Das liegt an uns, nicht an Ihnen.',
    hint: help,
  },
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
    invitation: {
      ...recovery,
      ask: {
        title: 'Wählen Sie ein Passwort',
        sentence: 'Damit benutzen Sie Ihr neues Konto. Zugleich wird Ihre E-Mail-Adresse bestätigt.',
        hint: 'Wenn Sie kein Konto erwarten, schließen Sie diese Seite.',
        button: 'Passwort speichern',
      },
      password: 'Passwort',
      done: {
        title: 'Ihr Konto ist bereit',
        sentence: 'Benutzen Sie von nun an das neue Passwort. Sie können diese Seite jetzt schließen.',
      },
      expired: {
        title: 'Dieser Link ist abgelaufen',
        sentence: 'Zum Schutz Ihres Kontos gilt der Link einer Einladung nur CODEGEN-LIFETIME lang.',
        hint: 'Bitten Sie dort, wo Sie eingeladen wurden, um eine neue E-Mail, und öffnen Sie deren Link bald.',
      },
    },
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

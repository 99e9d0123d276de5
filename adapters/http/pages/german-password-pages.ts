import type { PageText, RecoveryTexts } from './page-texts.ts';

export const gone: PageText = {
  title: 'Dieser Link funktioniert nicht mehr',
  sentence: 'Er ist möglicherweise unvollständig oder schon benutzt, oder eine neuere E-Mail hat ihn ersetzt.',
  hint: 'Öffnen Sie den Link in der neuesten E-Mail, oder fordern Sie dort, wo Sie Ihr Konto haben, eine neue an.',
};

const blocked: PageText = {
  title: 'Zu viele Versuche',
  sentence: 'Zum Schutz Ihres Kontos nehmen wir vorerst keine weiteren Versuche an.',
  hint: 'Warten Sie eine Weile, fordern Sie dann eine neue E-Mail an und öffnen Sie deren Link.',
};

export const help =
  'Öffnen Sie den Link in der E-Mail später noch einmal. Wenn das nicht hilft, wenden Sie sich an die Stelle, bei der Sie Ihr Konto haben.';
export const again = 'Warten Sie eine Minute, und öffnen Sie dann den Link in der E-Mail noch einmal.';
export const tryAgain = 'Bitte versuchen Sie es gleich noch einmal';
export const wentWrong = 'Etwas ist schiefgegangen';

export const recovery: RecoveryTexts = {
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

/** The pages of an invitation. */
export const invitation: RecoveryTexts = {
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
};

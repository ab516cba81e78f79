/**
 * German for sentences of the server, by the English ones. `{}` stands for what varies; `{1}` is the first of those as it is,
 * `{1!}` where it is a sentence or a phrase of this table itself. More special ones come first.
 */
export const SENTENCES: Readonly<Record<string, string>> = {
  // Of a draft, where publishing is refused.
  'A value is required and there is none.': 'Ein Wert ist erforderlich.',
  'There is 1 {}, {} expected.': 'Es ist 1 {1!}, erwartet: {2!}.',
  'There are {} {}, {} expected.': 'Es sind {1} {2!}, erwartet: {3!}.',
  "In the component '{}', element '{}': {}": 'In der Komponente „{1}“, Element „{2}“: {3!}',
  "The component '{}' is of the type '{}', which is not allowed.":
    'Die Komponente „{1}“ hat den Typ „{2}“, der hier nicht erlaubt ist.',
  "The component '{}' has moved to another element since; restore both elements, or the whole version.":
    'Die Komponente „{1}“ steht inzwischen in einem anderen Element; stellen Sie beide Elemente wieder her oder die ganze Version.',
  "The item '{}' is of the type '{}', which is not allowed.":
    'Der Inhalt „{1}“ hat den Typ „{2}“, der hier nicht erlaubt ist.',
  "The file '{}' has {} bytes, at most {} are allowed.":
    'Die Datei „{1}“ hat {2} Byte, erlaubt sind höchstens {3}.',
  "The file '{}' is of the type '{}'; only JPEG, PNG, GIF and WebP images are allowed.":
    'Die Datei „{1}“ hat den Typ „{2}“; erlaubt sind nur Bilder in JPEG, PNG, GIF und WebP.',
  "The image '{}' is {} pixels {}, {} expected.": 'Das Bild „{1}“ ist {2} Pixel {3!}, erwartet: {4!}.',
  'at most {} is': 'höchstens {1}',
  'at most {} are': 'höchstens {1}',
  'at least {} is': 'mindestens {1}',
  'at least {} are': 'mindestens {1}',
  'exactly {} is': 'genau {1}',
  'exactly {} are': 'genau {1}',
  word: 'Wort',
  words: 'Wörter',
  character: 'Zeichen',
  characters: 'Zeichen',
  options: 'Optionen',
  term: 'Begriff',
  terms: 'Begriffe',
  asset: 'Datei',
  assets: 'Dateien',
  item: 'Inhalt',
  items: 'Inhalte',
  wide: 'breit',
  high: 'hoch',

  // Of what is written.
  "The element '{}' of '{}' ({}): {}": 'Das Element „{1}“ von „{2}“ ({3}): {4!}',
  "The element '{}': {}": 'Das Element „{1}“: {2!}',
  'The body is not valid. See validation_errors for what to change.': 'Die Angaben sind nicht gültig.',
  'The content cannot be published: it breaks rules of its content type. See validation_errors for what to change.':
    'Der Inhalt lässt sich nicht veröffentlichen: Er verletzt Regeln seines Inhaltstyps.',
  'The name must not be empty.': 'Der Name darf nicht leer sein.',
  'The name must not hold null characters.': 'Der Name darf keine Nullzeichen enthalten.',
  'The name must not be longer than {} characters.': 'Der Name darf höchstens {1} Zeichen haben.',
  'The external id must not be empty.': 'Die externe Id darf nicht leer sein.',
  'The external id must not be longer than {} characters.':
    'Die externe Id darf höchstens {1} Zeichen haben.',
  "The codename '{}' is taken by another item.": 'Den Codenamen „{1}“ hat ein anderer Inhalt.',
  "The codename '{}' is taken by another language.": 'Den Codenamen „{1}“ hat eine andere Sprache.',
  "The codename '{}' is taken.": 'Der Codename „{1}“ ist vergeben.',
  "The external id '{}' is taken by another item.": 'Die externe Id „{1}“ hat ein anderer Inhalt.',
  "The external id '{}' is taken by another asset.": 'Die externe Id „{1}“ hat eine andere Datei.',
  "The external id '{}' is taken by another language.": 'Die externe Id „{1}“ hat eine andere Sprache.',
  "The external id '{}' is taken.": 'Die externe Id „{1}“ ist vergeben.',
  'A codename has up to {} lower-case letters, digits and underscores and does not start with a digit.':
    'Ein Codename hat höchstens {1} kleine Buchstaben, Ziffern und Unterstriche und beginnt nicht mit einer Ziffer.',
  'A codename has up to 50 lower-case letters, digits and underscores.':
    'Ein Codename hat höchstens 50 kleine Buchstaben, Ziffern und Unterstriche.',
  'A language codename has 1 to 25 letters, digits, hyphens or underscores.':
    'Der Codename einer Sprache hat 1 bis 25 Buchstaben, Ziffern, Bindestriche oder Unterstriche.',
  'A name has 1 to 200 characters.': 'Ein Name hat 1 bis 200 Zeichen.',
  'The value must not be longer than {} characters.': 'Der Wert darf höchstens {1} Zeichen haben.',
  'The value must not hold null characters.': 'Der Wert darf keine Nullzeichen enthalten.',
  'The value is missing.': 'Der Wert fehlt.',
  'A string is expected.': 'Ein Text wird erwartet.',
  'A number is expected.': 'Eine Zahl wird erwartet.',
  'A whole number is expected.': 'Eine ganze Zahl wird erwartet.',
  'true or false is expected.': '„true“ oder „false“ wird erwartet.',
  'An array is expected.': 'Eine Liste wird erwartet.',
  'An object is expected.': 'Ein Objekt wird erwartet.',
  'A GUID is expected.': 'Eine GUID wird erwartet.',
  'An id or codename, or an object with exactly one of id, codename, external_id is expected.':
    'Eine Id oder ein Codename wird erwartet, oder ein Objekt mit genau einem von id, codename, external_id.',
  'The value must be one of {}.': 'Der Wert muss einer von diesen sein: {1}.',
  'The property {} is not known here.': 'Die Eigenschaft {1} gibt es hier nicht.',
  'The properties {} are not known here.': 'Die Eigenschaften {1} gibt es hier nicht.',
  'The number must be at least {}.': 'Die Zahl muss mindestens {1} sein.',
  'The number must be at most {}.': 'Die Zahl darf höchstens {1} sein.',
  'The length must be at least {}.': 'Die Länge muss mindestens {1} sein.',
  'The length must be at most {}.': 'Die Länge darf höchstens {1} sein.',
  'A decimal number or null is expected.': 'Eine Zahl wird erwartet.',
  'A number has at most {} digits before the decimal point.':
    'Eine Zahl hat höchstens {1} Stellen vor dem Komma.',
  'There is no such date and time.': 'Diesen Tag oder diese Zeit gibt es nicht.',
  'Only one option can be chosen.': 'Nur eine Option kann gewählt werden.',
  'The title is a text of at most {} characters, or null.': 'Der Titel hat höchstens {1} Zeichen.',
  'A description has at most {} characters.': 'Eine Beschreibung hat höchstens {1} Zeichen.',
  'Guidelines are text of at most {} characters.': 'Ein Hinweis hat höchstens {1} Zeichen.',
  'The file needs a name.': 'Die Datei braucht einen Namen.',
  'The file name has at most {} characters.': 'Der Dateiname hat höchstens {1} Zeichen.',
  'The file name must not hold slashes or control characters.':
    'Der Dateiname darf keine Schrägstriche oder Steuerzeichen enthalten.',
  'A custom element needs the address of its page.': 'Ein eigenes Element braucht die Adresse seiner Seite.',
  'There can be at most {} elements.': 'Höchstens {1} Elemente sind möglich.',
  'There can be at most {} options.': 'Höchstens {1} Optionen sind möglich.',
  'A multiple choice needs at least one option.': 'Eine Auswahl braucht mindestens eine Option.',
  'A URL slug depends on a text element of the type.':
    'Ein URL-Kürzel braucht ein Textelement des Typs, aus dem er entsteht.',
  'A tree can have at most {} levels; this one has {}.': 'Ein Baum hat höchstens {1} Ebenen; dieser hat {2}.',
  "Two elements would have the codename '{}'.": 'Zwei Elemente hätten den Codenamen „{1}“.',
  'Components can be nested up to level {}.': 'Komponenten lassen sich bis zur Ebene {1} verschachteln.',
  'The components of the item have {} elements by their types, at most {} are allowed. Use fewer components, or link to items instead.':
    'Die Komponenten des Inhalts haben nach ihren Typen {1} Elemente, erlaubt sind höchstens {2}. Nehmen Sie weniger Komponenten, oder verlinken Sie Inhalte.',
  'There can be at most {} preview URLs.': 'Höchstens {1} Vorschauadressen sind möglich.',
  'A type and language have one URL.': 'Zu einem Typ und einer Sprache gehört eine Adresse.',
  'A preview URL has at most {} characters.': 'Eine Vorschauadresse hat höchstens {1} Zeichen.',
  'A preview URL begins with http:// or https:// and a host without placeholders.':
    'Eine Vorschauadresse beginnt mit http:// oder https:// und einem Host ohne Platzhalter.',
  'The URL must begin with https:// or http://.': 'Die Adresse muss mit https:// oder http:// beginnen.',
  'The URL must be absolute and begin with https:// or http://.':
    'Die Adresse muss vollständig sein und mit https:// oder http:// beginnen.',
  'The URL must not be longer than {} characters once it is percent-encoded.':
    'Die Adresse darf prozentkodiert höchstens {1} Zeichen haben.',
  'The URL must not hold control characters, line breaks or tabs.':
    'Die Adresse darf keine Steuerzeichen, Zeilenumbrüche oder Tabulatoren enthalten.',
  'The URL must not hold a user name or password; use the secret to identify notifications.':
    'Die Adresse darf keinen Benutzernamen und kein Passwort enthalten; Benachrichtigungen erkennen Sie am Geheimnis.',
  'The types are {}.': 'Es gibt die Typen {1}.',
  "The operations of '{}' are {}.": 'Der Typ „{1}“ hat die Operationen {2}.',
  'The states are {}.': 'Es gibt die Zustände {1}.',

  // Of the address of a list.
  "'{}' may be given once only.": '„{1}“ darf nur einmal angegeben werden.',
  "'{}' must be a day such as 2026-11-20.": '„{1}“ muss ein Tag sein, zum Beispiel 2026-11-20.',
  "'{}' must be an ISO 8601 date and time.": '„{1}“ muss Tag und Zeit nach ISO 8601 sein.',
  "'after' must be the 'next' of a page of this listing.":
    '„after“ muss das „next“ einer Seite dieser Liste sein.',
  "'from' ({}) must not be after 'to' ({}).": '„from“ ({1}) darf nicht nach „to“ ({2}) liegen.',
  "'from' and 'to' can be at most {} days apart.":
    'Zwischen „from“ und „to“ dürfen höchstens {1} Tage liegen.',
  "'limit' must be a whole number from 1 to {}.": '„limit“ muss eine ganze Zahl von 1 bis {1} sein.',
  "'offset' must be a whole number from 0.": '„offset“ muss eine ganze Zahl ab 0 sein.',
  "'{}' must be one of {}.": '„{1}“ muss eines von diesen sein: {2}.',

  // There is nothing there.
  'There is no content item with {}.': 'Es gibt keinen Inhalt mit {1!}.',
  'There is no content type with {}.': 'Es gibt keinen Inhaltstyp mit {1!}.',
  'There is no asset with {}.': 'Es gibt keine Datei mit {1!}.',
  'There is no folder with {}.': 'Es gibt keinen Ordner mit {1!}.',
  'There is no language with {}.': 'Es gibt keine Sprache mit {1!}.',
  'There is no snippet with {}.': 'Es gibt keinen Baustein mit {1!}.',
  'There is no taxonomy group with {}.': 'Es gibt keine Taxonomie mit {1!}.',
  'There is no webhook with {}.': 'Es gibt keinen Webhook mit {1!}.',
  'There is no sitemap node with {}.': 'Es gibt keinen Knoten der Sitemap mit {1!}.',
  'There is no workflow step with {}.': 'Es gibt keinen Schritt des Workflows mit {1!}.',
  "There is no content item with the id '{}'.": 'Es gibt keinen Inhalt mit der Id „{1}“.',
  "There is no content type with the id '{}'.": 'Es gibt keinen Inhaltstyp mit der Id „{1}“.',
  "There is no asset with the id '{}'.": 'Es gibt keine Datei mit der Id „{1}“.',
  "There is no webhook with the id '{}'.": 'Es gibt keinen Webhook mit der Id „{1}“.',
  "There is no language with the id '{}'.": 'Es gibt keine Sprache mit der Id „{1}“.',
  "There is no user with the id '{}'.": 'Es gibt keine Person mit der Id „{1}“.',
  "There is no role with the id '{}'.": 'Es gibt keine Rolle mit der Id „{1}“.',
  "There is no view with the id '{}'.": 'Es gibt keine Ansicht mit der Id „{1}“.',
  "There is no job with the id '{}'.": 'Es gibt keinen Auftrag mit der Id „{1}“.',
  "There is no project with the id '{}'.": 'Es gibt kein Projekt mit der Id „{1}“.',
  "There is no content item '{}'.": 'Es gibt keinen Inhalt „{1}“.',
  "There is no language '{}'.": 'Es gibt keine Sprache „{1}“.',
  "You have no session with the id '{}'.": 'Sie haben keine Sitzung mit der Id „{1}“.',
  "The webhook has no notification with the id '{}'.":
    'Der Webhook hat keine Benachrichtigung mit der Id „{1}“.',
  "The webhook has attempted no notification with the id '{}'.":
    'Der Webhook hat keine Benachrichtigung mit der Id „{1}“ zu senden versucht.',
  "There is no active language '{}'.": 'Es gibt keine aktive Sprache „{1}“.',
  "There is no type '{}'.": 'Es gibt keinen Typ „{1}“.',
  "There is no term '{}'.": 'Es gibt keinen Begriff „{1}“.',
  "The item '{}' has no variant in the language '{}'.":
    'Den Inhalt „{1}“ gibt es nicht in der Sprache „{2}“.',
  'There is no active fallback language with {}.': 'Es gibt keine aktive Ersatzsprache mit {1!}.',
  "the id '{}'": 'der Id „{1}“',
  "the codename '{}'": 'dem Codenamen „{1}“',
  "the external id '{}'": 'der externen Id „{1}“',
  'that reference': 'dieser Angabe',

  // The state does not allow it.
  "The variant '{}' of the item '{}' is published. Make a new version of it, or unpublish it, before you change it.":
    'Der Inhalt „{2}“ ist in der Sprache „{1}“ veröffentlicht. Legen Sie eine neue Version an, oder nehmen Sie ihn zurück, bevor Sie ihn ändern.',
  'The content item is not archived, or its external id was used anew.':
    'Der Inhalt ist nicht archiviert, oder seine externe Id wurde neu vergeben.',
  'The language variant is not published, so it cannot be unpublished.':
    'Der Inhalt ist in dieser Sprache nicht öffentlich und lässt sich nicht zurücknehmen.',
  'The language variant is not published; change its draft instead of creating a new version.':
    'Der Inhalt ist in dieser Sprache nicht öffentlich; ändern Sie seinen Entwurf.',
  'The language variant is not scheduled to be published.':
    'Die Veröffentlichung in dieser Sprache ist nicht geplant.',
  "The variant '{}' of the item '{}' is published and has no newer version to schedule.":
    'Der Inhalt „{2}“ ist in der Sprache „{1}“ veröffentlicht und hat keine neuere Version.',
  'The draft was changed since the plan was made, so nothing was discarded.':
    'Der Entwurf wurde geändert, seit Sie den Plan gesehen haben. Nichts wurde verworfen.',
  'The plan is out of date: it was for {} objects, and {} would change now. Plan again.':
    'Der Plan ist überholt: Er war für {1} Objekte, jetzt würden sich {2} ändern. Sehen Sie ihn neu an.',
  'The plan is out of date: {}. Nothing was done; look at the plan again.':
    'Der Plan ist überholt: {1!}. Nichts wurde getan; sehen Sie den Plan noch einmal an.',
  'other content would change, or other versions of it':
    'andere Inhalte oder andere Versionen würden sich ändern',
  'what the content links to, or which rules it breaks, is different':
    'Links der Inhalte oder verletzte Regeln sind jetzt andere',
  'what readers would notice elsewhere is different':
    'an anderen Stellen ändert sich für Leser etwas anderes',
  'other webhooks would be called': 'andere Webhooks würden aufgerufen',
  'An act is about at most {} objects.': 'Mehr als {1} Objekte auf einmal sind nicht möglich.',
  'The act is {} already.': 'Das ist schon geschehen oder abgebrochen ({1!}).',
  'The act can no longer be undone.': 'Das lässt sich nicht mehr rückgängig machen.',
  'Content changed while its links were followed. Nothing was done; try again.':
    'Inhalte haben sich geändert, während ihre Links verfolgt wurden. Nichts wurde getan; versuchen Sie es noch einmal.',
  'Another notification blocks the webhook by now: nothing was dropped.':
    'Inzwischen hält eine andere Benachrichtigung den Webhook auf: Nichts wurde verworfen.',
  'No failed notification of this webhook waits for a retry.':
    'Keine gescheiterte Benachrichtigung dieses Webhooks wartet auf einen neuen Versuch.',
  'The notification is still queued; it will be sent after those before it.':
    'Die Benachrichtigung wartet noch; sie folgt auf die vor ihr.',
  'A replay of this webhook is running already.': 'Für diesen Webhook wird schon etwas noch einmal gesendet.',
  'The content of the notification was removed; it cannot be replayed.':
    'Der Inhalt der Benachrichtigung wurde entfernt; sie lässt sich nicht noch einmal senden.',
  "The role '{}' is in use. Take it from its users first.":
    'Die Rolle „{1}“ wird benutzt. Nehmen Sie sie erst den Personen, die sie haben.',
  "The role '{}' has every permission and cannot be changed.":
    'Die Rolle „{1}“ hat alle Rechte und lässt sich nicht ändern.',
  "There is another role with the codename '{}'.": 'Den Codenamen „{1}“ hat eine andere Rolle.',
  'This is the last operator. Make another one first.':
    'Das ist der letzte Betreiber. Bestimmen Sie erst einen anderen.',
  "Another user signs in with the mail address '{}'.":
    'Mit der Mailadresse „{1}“ meldet sich eine andere Person an.',
  'A mail address is expected.': 'Eine Mailadresse wird erwartet.',
  'A user has at most {} views in a project.': 'Mehr als {1} Ansichten in einem Projekt sind nicht möglich.',
  'Only its owner or an operator changes a shared view.':
    'Eine geteilte Ansicht ändert nur, wem sie gehört, oder ein Betreiber.',
  "There already is a project with the id '{}'.": 'Ein Projekt mit der Id „{1}“ gibt es schon.',
  "The project '{}' is being imported. It can be used when the import is done.":
    'Das Projekt „{1}“ wird importiert. Danach lässt es sich benutzen.',
  "A job of the kind '{}' cannot be canceled; it ends by itself.":
    'Ein Auftrag der Art „{1}“ lässt sich nicht abbrechen; er endet von selbst.',
  '… and {} more.': '… und {1} weitere.',
  'The service stopped meanwhile; what was done was taken back.':
    'Der Dienst hat inzwischen angehalten; was schon getan war, wurde zurückgenommen.',
  "The element '{}' does not exist.": 'Das Element „{1}“ gibt es nicht.',
  'The webhook was deleted during the replay.':
    'Der Webhook wurde gelöscht, während seine Nachrichten noch einmal gesendet wurden.',
  // Of jobs that ended before version 0.3.0, or in an older process beside this one.
  'An internal error ended it; see the log of the service.':
    'Ein interner Fehler hat den Auftrag beendet; der Grund steht im Protokoll des Dienstes.',
  'An internal error ended the job; see the log of the service.':
    'Ein interner Fehler hat den Auftrag beendet; der Grund steht im Protokoll des Dienstes.',
  "The type is still used by the item '{}' and maybe others.":
    'Der Inhalt „{1}“ und vielleicht weitere verwenden den Typ noch.',
  'The type is still used by items.': 'Inhalte verwenden den Typ noch.',
  'The type is used by components in rich text.': 'Den Typ haben Komponenten in Texten.',
  'The taxonomy group is used by {}; remove the elements first.':
    'Die Taxonomie wird von {1} benutzt; entfernen Sie erst diese Elemente.',
  'The snippet is used by the types {}.': 'Den Baustein haben die Typen {1}.',
  "The asset is used by the item '{}' and maybe others.":
    'Die Datei wird vom Inhalt „{1}“ benutzt, vielleicht auch von anderen.',
  'The asset is used by items.': 'Die Datei wird von Inhalten benutzt.',
  "Two elements of the type '{}' would have the codename '{}'.":
    'Zwei Elemente des Typs „{1}“ hätten den Codenamen „{2}“.',
  "The language '{}' would fall back to itself.": 'Die Sprache „{1}“ wäre ihr eigener Ersatz.',
  'The default language cannot be deactivated.': 'Die Standardsprache lässt sich nicht abschalten.',
  'The default language has no fallback language.': 'Die Standardsprache hat keine Ersatzsprache.',
  'A project can have at most {} languages.': 'Ein Projekt hat höchstens {1} Sprachen.',
  'The language variant has no draft; the published version is the latest.':
    'In dieser Sprache gibt es keinen Entwurf; die öffentliche Version ist die neueste.',
  'The language variant was never published, so nothing would remain of it; archive it instead.':
    'In dieser Sprache war der Inhalt nie öffentlich, es bliebe also nichts; archivieren Sie ihn stattdessen.',
  'The item {} has no variant to act on.': 'Vom Inhalt {1} gibt es nichts, was sich ändern ließe.',
  'A taxonomy group can have at most 1000 terms.': 'Eine Taxonomie hat höchstens 1000 Begriffe.',
  'A term cannot be moved into itself.': 'Ein Begriff lässt sich nicht unter sich selbst verschieben.',
  "Another taxonomy group has the codename '{}' now.":
    'Den Codenamen „{1}“ hat inzwischen eine andere Taxonomie.',
  'The codename must not be empty.': 'Der Codename darf nicht leer sein.',
  'The body has more than {} values.': 'Das sind mehr als {1} Werte auf einmal.',
  'An object has more than {} properties.': 'Ein Objekt hat mehr als {1} Eigenschaften.',
  'A JSON body can have at most {} bytes.': 'Auf einmal lassen sich höchstens {1} Byte speichern.',
  'There is nothing at this path.': 'Das gibt es hier nicht mehr.',
  "The key with the id '{}' has expired; create a new one.":
    'Der Schlüssel mit der Id „{1}“ ist abgelaufen; erstellen Sie einen neuen.',
  "There is no active management key with the id '{}'.":
    'Es gibt keinen aktiven Management-Schlüssel mit der Id „{1}“.',

  'The archive was written by a newer version than this one.':
    'Das Archiv stammt aus einer neueren Version des Dienstes.',
  'The archive is damaged or no archive of a project: {}.':
    'Das Archiv ist beschädigt oder keines von einem Projekt: {1}.',
  "The project '{}' is being imported just now.": 'Das Projekt „{1}“ wird gerade importiert.',
  '{} archives are being imported just now. Import this one when one of them is done.':
    'Gerade werden {1} Archive importiert. Importieren Sie dieses, wenn eines davon fertig ist.',
  'The service stops; nothing was imported. Import the archive again later.':
    'Der Dienst hält an; nichts wurde importiert. Importieren Sie das Archiv später noch einmal.',
  'The project is being exported already.': 'Das Projekt wird schon exportiert.',
  '{} projects are being copied just now. Try again when one is done.':
    'Gerade werden {1} Projekte kopiert. Versuchen Sie es noch einmal, wenn eines fertig ist.',
  'The language variant is not archived.': 'Der Inhalt ist in dieser Sprache nicht archiviert.',
  "The language '{}' is not active.": 'Die Sprache „{1}“ ist nicht aktiv.',
  'The job is {} already.': 'Der Auftrag hat schon einen anderen Zustand ({1!}).',
  'The job was canceled.': 'Der Auftrag wurde abgebrochen.',
  waiting: 'wartet',
  running: 'läuft',
  done: 'fertig',
  failed: 'fehlgeschlagen',
  canceled: 'abgebrochen',

  // Who may do it.
  'The password is wrong.': 'Das Passwort ist falsch.',
  'The mail address or the password is wrong.': 'Die Mailadresse oder das Passwort ist falsch.',
  'A password needs {} characters or more.': 'Ein Passwort braucht mindestens {1} Zeichen.',
  'A password has at most {} characters.': 'Ein Passwort hat höchstens {1} Zeichen.',
  'The password was changed meanwhile. Sign in again.':
    'Das Passwort wurde inzwischen geändert. Melden Sie sich neu an.',
  'Confirm your password to do this.': 'Bestätigen Sie dafür Ihr Passwort.',
  "The sign-in link was used already or has expired. 'headwater user sign-in-link' makes another; --email says for which user.":
    'Der Anmeldelink wurde schon benutzt oder ist abgelaufen. Mit „headwater user sign-in-link“ entsteht ein neuer; --email sagt, für wen.',
  'Too many wrong {} came from this address, {}': 'Von dieser Adresse kamen zu viele falsche {1!}: {2!}',
  'passwords, keys or tokens': 'Passwörter, Schlüssel oder Token',
  "so {} is not accepted from it for another {} s; 'headwater unblock {}' on the machine of the service ends that now.":
    '{1!} ist von dort noch {2} s gesperrt. Auf dem Rechner des Dienstes beendet „headwater unblock {3}“ das sofort.',
  'signing in': 'Das Anmelden',
  "The link was for the first user, and there is one. 'headwater user sign-in-link --email ADDRESS' makes one for a user.":
    'Der Link war für die erste Person, und es gibt schon eine. Mit „headwater user sign-in-link --email ADRESSE“ entsteht einer für eine Person.',
  'The sign-in through the provider was refused.': 'Die Anmeldung über den Anbieter wurde abgelehnt.',
  'Too many people sign in right now. Try again in a few seconds.':
    'Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden noch einmal.',
  'This session makes too many calls. Try again in {} s.':
    'Diese Sitzung stellt zu viele Anfragen. Versuchen Sie es in {1} s noch einmal.',
  'Another person has signed in in this browser since.':
    'Inzwischen hat sich in diesem Browser eine andere Person angemeldet.',
  'You are not signed in, or your session has ended.':
    'Sie sind nicht angemeldet, oder Ihre Sitzung ist zu Ende.',
  'Only operators of the installation may do this.': 'Das dürfen nur Betreiber der Installation.',
  'The project was archived. An operator can restore it.':
    'Das Projekt ist archiviert. Ein Betreiber kann es wiederherstellen.',
  'You have no role in this project. An operator can give you one.':
    'Sie haben keine Rolle in diesem Projekt. Ein Betreiber kann Ihnen eine geben.',
  'You can make management keys in your own name only. An operator makes those of other users.':
    'Sie können Management-Schlüssel nur auf Ihren Namen erstellen. Andere erstellt ein Betreiber.',
  "Your roles in this project do not include '{}'.": 'Ihren Rollen in diesem Projekt fehlt das Recht „{1}“.',
  "Your roles in this project do not include '{}' for {}.":
    'Ihren Rollen in diesem Projekt fehlt hier das Recht „{1}“ ({2}).',
  'Your roles are limited; you can undo only what you did yourself.':
    'Ihre Rollen sind eingeschränkt; Sie können nur Eigenes rückgängig machen.',

  // Of notifications, and attempts to send them.
  'The connection was refused.': 'Die Verbindung wurde abgelehnt.',
  'The connection was closed before the answer was complete.':
    'Die Verbindung wurde geschlossen, bevor die Antwort vollständig war.',
  'The host could not be reached.': 'Der Host war nicht erreichbar.',
  'The name of the host is not known.': 'Der Name des Hosts ist nicht bekannt.',
  'The name servers gave no answer.': 'Die Nameserver haben nicht geantwortet.',
  'This service has no file descriptor left.': 'Der Dienst kann gerade keine weitere Verbindung öffnen.',
  'The answer is not HTTP.': 'Die Antwort ist kein HTTP.',
  'The certificate of the host is not valid ({}).': 'Das Zertifikat des Hosts ist nicht gültig ({1}).',
  'The TLS connection failed ({}).': 'Die TLS-Verbindung ist fehlgeschlagen ({1}).',
  'The request failed.': 'Die Anfrage ist fehlgeschlagen.',
  'The request failed ({}).': 'Die Anfrage ist fehlgeschlagen ({1}).',
  'There was no complete answer within {} s.': 'Innerhalb von {1} s kam keine vollständige Antwort.',
  'The service stopped.': 'Der Dienst wurde angehalten.',
  'The receiver switched to another protocol.': 'Der Empfänger ist auf ein anderes Protokoll gewechselt.',
  'It was tried for 3 days.': 'Drei Tage lang wurde es versucht.',
  'It was skipped by hand.': 'Sie wurde von Hand übersprungen.',
  'A test is not repeated.': 'Ein Test wird nicht wiederholt.',
  'Redirects are not followed.': 'Weiterleitungen werden nicht verfolgt.',
  'The URL is not valid.': 'Die Adresse ist nicht gültig.',
  'The URL must not hold a user name or password.':
    'Die Adresse darf keinen Namen und kein Passwort enthalten.',
  'The URL has no host.': 'Die Adresse hat keinen Host.',
  '{} has no address.': '{1} hat keine Adresse.',
  '{} has the address {}, which is not on the public internet. {}':
    '{1} hat die Adresse {2}, die nicht im öffentlichen Internet liegt. {3!}',
  '{} is not on the public internet. {}': '{1} liegt nicht im öffentlichen Internet. {2!}',
  'To send there, add the host, address or range to the setting webhooks.allow.':
    'Damit dorthin gesendet wird, nehmen Sie den Host, die Adresse oder den Bereich in die Einstellung webhooks.allow auf.',

  // What a job works on.
  archive: 'Archiv',
  'archive {}': 'Archiv {1}',
  'lists and full text': 'Listen und Volltext',
  '{}: {} objects': '{1}: {2} Objekte',
  '{} variants': '{1} Varianten',
  project: 'Projekt',
  language: 'Sprache',
  type: 'Typ',

  // The service cannot.
  'The service is stopping.': 'Der Dienst hält gerade an.',
  'The content is not ready yet; try again in a moment.':
    'Die Inhalte sind noch nicht bereit; versuchen Sie es gleich noch einmal.',
  'The body of a request can have at most {} bytes.': 'Eine Anfrage hat höchstens {1} Byte.',
};

import type { contentEn } from './content-en.ts';
import { grouped } from './grouped.ts';

export const contentDe: typeof contentEn = {
  content: {
    title: 'Inhalte',
    search: 'Suche',
    type: 'Typ',
    state: 'Zustand',
    language: 'Sprache',
    any: 'Alle',
    name: 'Name',
    modified: 'Letzte Änderung',
    author: 'Geändert von',
    moreFilters: 'Weitere Filter',
    activeFilters: 'Aktive Filter',
    filters: {
      text: 'Suche',
      type: 'Typ',
      state: 'Zustand',
      term: 'Begriff',
      location: 'Ort in der Sitemap',
      author: 'Geändert von',
      changed_from: 'Geändert ab',
      changed_before: 'Geändert bis',
    },
    removeFilter: (filter) => `Filter ${filter} entfernen`,
    clearFilters: 'Alle Filter entfernen',
    columns: 'Spalten',
    elementsOf: (type) => `Elemente von ${type}`,
    elementsNeedType: 'Filtern Sie nach einem Typ, um seine Elemente als Spalten zu zeigen.',
    beside: 'Zustände in anderen Sprachen',
    more: 'Mehr anzeigen',
    showColumns: 'Anzeigen',
    none: 'Kein Inhalt passt zu diesen Filtern.',
    empty: 'Dieses Projekt hat noch keine Inhalte.',
    newItem: 'Neuer Inhalt …',
    shown: (count) => (count === 1 ? '1 Inhalt' : `${grouped(count, '.')} Inhalte`),
    selected: (count) => (count === 1 ? '1 Inhalt ausgewählt' : `${count} Inhalte ausgewählt`),
    select: (name) => `${name} auswählen`,
    selectAll: 'Alle passenden Inhalte auswählen',
    selectMatching: (count) => `Alle ${count} passenden auswählen`,
    clearSelection: 'Auswahl aufheben',
    states: {
      not_translated: 'Nicht übersetzt',
      draft: 'Entwurf',
      published: 'Veröffentlicht',
      changed: 'Geändert',
      scheduled: 'Geplant',
      unpublished: 'Zurückgezogen',
      archived: 'Archiviert',
    },
  },
  bulk: {
    title: 'Aktionen für die ausgewählten Inhalte',
    buttons: {
      publish: 'Veröffentlichen …',
      schedule: 'Planen …',
      cancel_schedule: 'Planung aufheben …',
      unpublish: 'Zurückziehen …',
      archive: 'Archivieren …',
      restore: 'Wiederherstellen …',
      move: 'In der Sitemap verschieben …',
      change_step: 'Arbeitsschritt ändern …',
    },
    acts: {
      publish: 'Veröffentlichen',
      schedule: 'Veröffentlichung planen',
      cancel_schedule: 'Planung aufheben',
      unpublish: 'Zurückziehen',
      archive: 'Archivieren',
      restore: 'Wiederherstellen',
      move: 'In der Sitemap verschieben',
      change_step: 'Arbeitsschritt ändern',
    },
    confirm: {
      publish: 'Jetzt veröffentlichen',
      schedule: 'Planen',
      cancel_schedule: 'Planung aufheben',
      unpublish: 'Jetzt zurückziehen',
      archive: 'Jetzt archivieren',
      restore: 'Jetzt wiederherstellen',
      move: 'Jetzt verschieben',
      change_step: 'Jetzt ändern',
    },
    changes: {
      publish: (count) =>
        count === 1 ? '1 Variante wird öffentlich.' : `${count} Varianten werden öffentlich.`,
      replace: (count) =>
        count === 1
          ? '1 Entwurf ersetzt die öffentliche Version.'
          : `${count} Entwürfe ersetzen die öffentlichen Versionen.`,
      cancel_schedule: (count) =>
        count === 1 ? '1 Variante ist nicht mehr geplant.' : `${count} Varianten sind nicht mehr geplant.`,
      unpublish: (count) =>
        count === 1
          ? '1 Variante ist nicht mehr öffentlich.'
          : `${count} Varianten sind nicht mehr öffentlich.`,
      archive: (count) => (count === 1 ? '1 wird archiviert.' : `${count} werden archiviert.`),
      restore: (count) => (count === 1 ? '1 wird wiederhergestellt.' : `${count} werden wiederhergestellt.`),
      move: (count) =>
        count === 1 ? '1 Inhalt bekommt diese Orte.' : `${count} Inhalte bekommen diese Orte.`,
      new_version: (count) =>
        count === 1
          ? '1 veröffentlichte Variante bekommt einen Entwurf.'
          : `${count} veröffentlichte Varianten bekommen einen Entwurf.`,
      none: (count) => `Für ${count} ist nichts zu tun.`,
    },
    objects: 'Zeigen, was sich ändert',
    atOnce: 'Das geschieht sofort.',
    later: (local, utc) => `Das geschieht am ${local}; das ist ${utc}.`,
    differences: 'In diesen Elementen sehen Leser andere Werte:',
    noDifference: 'kein Element ist anders',
    compare: (item) => `${item} vergleichen`,
    included: 'Diese werden mit veröffentlicht, weil andere auf sie verweisen:',
    includeLinked: (count) =>
      count === 1
        ? 'Den verlinkten Entwurf mit veröffentlichen'
        : `Die ${count} verlinkten Entwürfe mit veröffentlichen`,
    shownBy: 'Dieser öffentliche Inhalt zeigt, was sich ändert, oder verweist darauf:',
    webhooks: 'Diese Webhooks werden gerufen:',
    violations:
      'Diese Regeln der Inhaltstypen sind verletzt; bis sie eingehalten sind, wird nichts veröffentlicht:',
    dangling: 'Diese Verweise würden zu Inhalten führen, die nicht öffentlich sind:',
    showElement: (name) => `„${name}“ zeigen`,
    brokenLinks: 'Diese öffentlichen Verweise würden ins Leere führen:',
    fallbacks: 'In diesen Sprachen bekommen Leser eine andere Sprache oder nichts:',
    fallback: (item, language, shows) =>
      shows === undefined ? `${item}: fehlt in ${language}` : `${item}: ${language} zeigt ${shows}`,
    more: (count) => `… und ${count} weitere`,
    nothing: 'Für keinen der ausgewählten Inhalte ist in dieser Sprache etwas zu tun.',
    scope: 'Was',
    wholeItems: 'Die Inhalte in allen Sprachen',
    onlyLanguage: (language) => `Nur ${language}`,
    step: 'Arbeitsschritt',
    steps: {
      draft: 'Entwurf: veröffentlichte Varianten zum Ändern öffnen',
      archived: 'Archiviert: Entwürfe archivieren',
    },
    locations: 'Neue Orte in der Sitemap; ohne Auswahl stehen die Inhalte nicht mehr in der Sitemap',
    noLocations: 'Die Sitemap dieses Projekts ist leer.',
    cancel: 'Abbrechen',
    cancelRunning: 'Anhalten und zurücknehmen, was getan ist',
    progress: (done, total) => `${done} von ${total}`,
    undo: 'Rückgängig machen',
    results: {
      publish: (count) =>
        count === 1 ? '1 Variante wurde veröffentlicht.' : `${count} Varianten wurden veröffentlicht.`,
      schedule: (count) => (count === 1 ? '1 Variante wurde geplant.' : `${count} Varianten wurden geplant.`),
      cancel_schedule: (count) =>
        count === 1 ? '1 Planung wurde aufgehoben.' : `${count} Planungen wurden aufgehoben.`,
      unpublish: (count) =>
        count === 1 ? '1 Variante wurde zurückgezogen.' : `${count} Varianten wurden zurückgezogen.`,
      archive: (count) => (count === 1 ? '1 wurde archiviert.' : `${count} wurden archiviert.`),
      restore: (count) => (count === 1 ? '1 wurde wiederhergestellt.' : `${count} wurden wiederhergestellt.`),
      move: (count) => (count === 1 ? '1 Inhalt wurde verschoben.' : `${count} Inhalte wurden verschoben.`),
      change_step: (count) =>
        count === 1 ? '1 Arbeitsschritt wurde geändert.' : `${count} Arbeitsschritte wurden geändert.`,
    },
    takenBack: 'Alles ist wieder wie zuvor.',
    takenBackBut: (count) => `Zurückgenommen, außer ${count}, die sich inzwischen geändert haben.`,
  },
  schedule: {
    time: 'Wann',
    clock: 'Datum und Uhrzeit',
    zone: 'Zeitzone',
    instant: (local, utc) => `${local}; das ist ${utc}.`,
    never: (zone) =>
      `Uhren in ${zone} zeigen diese Zeit nie: Sie werden darüber hinweg vorgestellt. Wählen Sie eine andere Zeit.`,
    twice: 'Die Uhren werden zurückgestellt und zeigen diese Zeit zweimal. Welche ist gemeint?',
  },
  calendar: {
    title: 'Kalender',
    previous: 'Monat davor',
    next: 'Monat danach',
    today: 'Dieser Monat',
    zone: 'Zeitzone',
    agenda: 'Agenda',
    none: 'In diesem Monat ist nichts geplant.',
    more: (count) => `und ${count} weitere`,
    item: 'Inhalt',
    language: 'Sprache',
    when: 'Wann',
    acts: 'Aktionen',
    reschedule: 'Verschieben …',
    rescheduleOf: (item) => `Die Planung von ${item} verschieben`,
    cancel: 'Aufheben …',
    cancelOf: (item) => `Die Planung von ${item} aufheben`,
  },
  views: {
    title: 'Gespeicherte Ansichten',
    none: 'Es gibt noch keine gespeicherten Ansichten.',
    shared: 'geteilt',
    replace: 'Ersetzen',
    replaceOf: (name) => `${name} durch das ersetzen, was jetzt zu sehen ist`,
    replacePlan: [
      'Die Ansicht bekommt Filter, Reihenfolge, Spalten und Sprache von dem, was jetzt zu sehen ist; ihre bisherigen gehen verloren.',
    ],
    remove: 'Löschen',
    removePlan: ['Eine geteilte Ansicht wird für alle im Projekt gelöscht. Inhalte ändern sich nicht.'],
    removeOf: (name) => `${name} löschen`,
    name: 'Name einer neuen Ansicht',
    hint: 'Sie behält Filter, Reihenfolge, Spalten und Sprache von dem, was jetzt zu sehen ist.',
    share: 'Mit allen im Projekt teilen',
    save: 'Ansicht speichern',
    saved: (name) => `${name} wurde gespeichert.`,
    removed: (name) => `${name} wurde gelöscht.`,
  },
};

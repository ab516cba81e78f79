import type { apiCallEn } from './api-call-en.ts';

export const apiCallDe: typeof apiCallEn = {
  button: 'Als API-Aufruf …',
  title: 'Als API-Aufruf',
  api: 'API',
  apis: {
    delivery: 'Delivery: was veröffentlicht ist',
    preview: 'Preview: die neuesten Fassungen',
    manage: 'Management',
    admin: 'Admin',
  },
  form: 'Form',
  forms: { curl: 'curl', fetch: 'fetch', client: 'Veröffentlichter Client' },
  run: 'Hier ausführen',
  running: 'Die Anfrage läuft …',
  took: (status, milliseconds) => `Antwort ${status} in ${milliseconds} ms`,
  executedAs: 'Der Aufruf läuft mit Ihren Rechten, ohne Schlüssel.',
  docs: 'Alle Aufrufe nachschlagen',
  close: 'Schließen',
};

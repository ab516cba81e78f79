import { language } from '../preferences.ts';

const en = {
  button: 'As an API call …',
  title: 'As an API call',
  api: 'API',
  apis: {
    delivery: 'Delivery: what is published',
    preview: 'Preview: the latest versions',
    manage: 'Management',
    admin: 'Admin',
  },
  form: 'Form',
  forms: { curl: 'curl', fetch: 'fetch', client: 'Published client' },
  copy: 'Copy',
  copied: 'Copied.',
  notCopied: 'The browser does not permit copying. Select the text instead.',
  run: 'Execute here',
  running: 'The request is on its way …',
  took: (status: number, milliseconds: number) => `Answer ${status} in ${milliseconds} ms`,
  executedAs: 'It is executed with your rights, without a key.',
  docs: 'Reference of all calls',
  close: 'Close',
};

const de: typeof en = {
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
  copy: 'Kopieren',
  copied: 'Kopiert.',
  notCopied: 'Der Browser erlaubt das Kopieren nicht. Markieren Sie den Text.',
  run: 'Hier ausführen',
  running: 'Die Anfrage läuft …',
  took: (status, milliseconds) => `Antwort ${status} in ${milliseconds} ms`,
  executedAs: 'Der Aufruf läuft mit Ihren Rechten, ohne Schlüssel.',
  docs: 'Alle Aufrufe nachschlagen',
  close: 'Schließen',
};

export const apiCallTexts = () => (language.value === 'de' ? de : en);

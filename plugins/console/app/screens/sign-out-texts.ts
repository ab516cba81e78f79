import { language } from '../preferences.ts';

const en = {
  title: 'Sign out',
  explain:
    'You typed this and did not save it. This browser has a copy of it as plain text, which any user of this browser can read. Addresses of webhooks and of the site may contain secrets.',
  copy: (what: string, fields: string, time: string) => `${what}${fields && `: ${fields}`} (${time})`,
  untitled: 'A form',
  more: (count: number) => (count === 1 ? 'One more' : `${count} more`),
  keepHint: 'What you keep is offered to you when you open it again, for thirty days.',
  keep: 'Sign out and keep it',
  discard: 'Sign out and discard it',
};

const de: typeof en = {
  title: 'Abmelden',
  explain:
    'Dies haben Sie eingegeben und nicht gespeichert. Dieser Browser hat davon eine Kopie als Klartext, die jeder lesen kann, der diesen Browser benutzt. Adressen von Webhooks und der Website können Geheimnisse enthalten.',
  copy: (what, fields, time) => `${what}${fields && `: ${fields}`} (${time})`,
  untitled: 'Ein Formular',
  more: (count) => (count === 1 ? 'Eines mehr' : `${count} weitere`),
  keepHint: 'Was Sie aufheben, wird Ihnen dreißig Tage lang angeboten, wenn Sie es wieder öffnen.',
  keep: 'Abmelden und aufheben',
  discard: 'Abmelden und verwerfen',
};

export const signOutTexts = () => (language.value === 'de' ? de : en);

import type { signOutEn } from './sign-out-en.ts';

export const signOutDe: typeof signOutEn = {
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

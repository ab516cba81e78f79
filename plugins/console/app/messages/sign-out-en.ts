/** Texts of the dialog that signs out. */
export const signOutEn = {
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

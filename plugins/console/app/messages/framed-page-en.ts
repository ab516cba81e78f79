/** Texts of a page of another origin in a frame. */
export const framedPageEn = {
  stopped: 'This page sent too many messages and was stopped.',
  again: 'Load it again',
};

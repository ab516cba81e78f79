/** Texts of a tree of JSON. */
export const jsonTreeEn = {
  members: (count: number) => (count === 1 ? '1 entry' : `${count} entries`),
  more: (count: number) => `Show ${count} more`,
  wholeText: (count: number) => `Show all ${count} characters`,
};

/** Rows of lists as they were before they were counted by author, and their counts. */
export const LISTED_BEFORE = `INSERT INTO listed (number, item, language, type, state, name, changed, author) VALUES
  (1, 1, 7, 3, 1, '', '', 'one'), (2, 2, 7, 3, 1, '', '', 'other'), (3, 3, 7, 3, 1, '', '', 'other'),
  (4, 4, 7, 3, 1, '', '', NULL), (5, 5, 7, 3, 2, '', '', 'one'), (6, 6, 8, 3, 1, '', '', 'one')`;
export const COUNTS = 'SELECT language, author, type, state, count FROM listed_count ORDER BY 1, 2, 3, 4';
export const COUNTED = [
  { language: 7, author: '', type: 3, state: 1, count: 4 },
  { language: 7, author: '', type: 3, state: 2, count: 1 },
  { language: 7, author: 'one', type: 3, state: 1, count: 1 },
  { language: 7, author: 'one', type: 3, state: 2, count: 1 },
  { language: 7, author: 'other', type: 3, state: 1, count: 2 },
  { language: 8, author: '', type: 3, state: 1, count: 1 },
  { language: 8, author: 'one', type: 3, state: 1, count: 1 },
];

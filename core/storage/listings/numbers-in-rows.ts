/** Numbers of one row: a driver creates all rows of a statement in one turn, 1 ms for a thousand. */
const NUMBERS = 1000;

/**
 * SQL of very many numbers in few rows: each row has up to a thousand of them in `numbers`, separated by commas.
 * @param from `FROM … WHERE …`
 */
export function numbersInRows(number: string, order: string, from: string): string {
  const row = `s.position / ${NUMBERS}`;
  return `SELECT string_agg(CAST(s.number AS TEXT), ',' ORDER BY s.position) AS numbers
    FROM (SELECT ${number} AS number, row_number() OVER (ORDER BY ${order}) - 1 AS position ${from}) s
    GROUP BY ${row} ORDER BY ${row}`;
}

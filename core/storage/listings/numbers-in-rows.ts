import { isTurnLong, nextTurn } from '../../turns/turn.ts';
import type { Sql } from '../sql.ts';
import type { Statement } from './statement.ts';

/** Numbers of one row: a driver creates all rows of a statement in one turn, 1 ms for a thousand. */
const NUMBERS = 1000;

/**
 * Reads very many numbers in few rows: each row has up to a thousand of them in `numbers`, separated by commas.
 * @param from `FROM … WHERE …`
 */
export async function readNumbers(
  sql: Pick<Sql, 'all'>,
  number: string,
  order: string,
  { text, parameters }: Statement,
): Promise<number[]> {
  const row = `s.position / ${NUMBERS}`;
  const rows = await sql.all<{ numbers: string }>(
    `SELECT string_agg(CAST(s.number AS TEXT), ',' ORDER BY s.position) AS numbers
    FROM (SELECT ${number} AS number, row_number() OVER (ORDER BY ${order}) - 1 AS position ${text}) s
    GROUP BY ${row} ORDER BY ${row}`,
    parameters,
  );
  const found: number[] = [];
  for (const { numbers } of rows) {
    if (isTurnLong()) await nextTurn();
    for (const one of numbers.split(',')) found.push(Number(one));
  }
  return found;
}

import type pg from 'pg';
import type { CopiedRows } from '../table-rows.ts';

/** What the driver calls of a query for each row of a COPY. */
interface CopyOut {
  handleCopyData(message: { readonly chunk: Uint8Array }): void;
}

/** Bytes of rows that are passed on together. */
const BATCH = 65_536;

/** Runs `COPY … TO STDOUT`. The driver leaves only the rows to its caller, so that this needs no package. */
export async function copyTo(
  client: pg.Client,
  text: string,
  add: (copied: CopiedRows) => void,
): Promise<void> {
  const { default: driver } = await import('pg');
  // The driver uses its own memory again.
  const batch = Buffer.allocUnsafe(BATCH);
  let [length, rows] = [0, 0];
  const pass = () => {
    if (rows > 0) add({ text: batch.subarray(0, length), rows });
    [length, rows] = [0, 0];
  };
  await new Promise<void>((resolve, reject) => {
    const query = new driver.Query(text, (error) => (error ? reject(error) : resolve()));
    const copyOut: CopyOut = {
      handleCopyData({ chunk }) {
        if (length + chunk.length > BATCH) pass();
        if (chunk.length > BATCH) return add({ text: chunk, rows: 1 });
        batch.set(chunk, length);
        length += chunk.length;
        rows++;
      },
    };
    client.query(Object.assign(query, copyOut));
  });
  pass();
}

import { once } from 'node:events';
import type pg from 'pg';

/** What the driver calls of a query when the server waits for the rows of a COPY. */
interface CopyIn {
  handleCopyInResponse(connection: {
    readonly stream: pg.Connection['stream'];
    sendCopyFromChunk(chunk: Uint8Array): void;
    sendCopyFail(message: string): void;
    endCopyFrom(): void;
  }): Promise<void>;
}

/**
 * Runs `COPY … FROM STDIN`. The driver leaves only the rows to its caller, so that this needs no package.
 * @param chunks the rows; an error of theirs undoes the statement
 */
export async function copyFrom(
  client: pg.Client,
  text: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { default: driver } = await import('pg');
  let failure: { readonly error: unknown } | undefined;
  const ended = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const query = new driver.Query(text, (error) => {
      ended.abort();
      if (error) reject(failure ? failure.error : error);
      else resolve();
    });
    const copyIn: CopyIn = {
      async handleCopyInResponse(connection) {
        const { stream } = connection;
        try {
          for await (const chunk of chunks) {
            if (ended.signal.aborted) return;
            connection.sendCopyFromChunk(chunk);
            if (stream.writableNeedDrain) await once(stream, 'drain', { signal: ended.signal });
          }
          connection.endCopyFrom();
        } catch (error) {
          if (ended.signal.aborted) return;
          failure = { error };
          connection.sendCopyFail('The rows cannot be read.');
        }
      },
    };
    client.query(Object.assign(query, copyIn));
  });
}

import type { PooledConnection } from './connection-pool.ts';

/** Interval of the check whether the store closes. */
const CHECK_MS = 20;

/**
 * Runs `work` on a connection of its own, which is closed afterwards. Interrupts its statements once `closing` has fired.
 * @throws the reason of `closing`
 */
export async function untilClosing<C extends PooledConnection, T>(
  connection: C,
  closing: AbortSignal,
  work: (connection: C) => Promise<T>,
): Promise<T> {
  connection.acquire({ class: 'background' });
  const end = () => {
    if (closing.aborted) connection.cancel(closing.reason);
  };
  end();
  const checks = setInterval(end, CHECK_MS);
  try {
    return await work(connection);
  } finally {
    clearInterval(checks);
    await connection.close();
  }
}

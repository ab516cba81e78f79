import type { Worker } from 'node:cluster';

/**
 * Ends connections that were passed to a process that was killed before it confirmed them. Node keeps its own copy of such
 * a connection open for ever, so that the client would wait for an answer (Node 20.20 to 24).
 */
export function closeUnconfirmed({ process }: Worker): void {
  /** The last one passed for each port: the next one is passed after its confirmation, which closes it. */
  const passed = new Map<unknown, { close(): void }>();
  const send = process.send.bind(process) as (...words: unknown[]) => boolean;
  process.send = (...words: unknown[]) => {
    const [message, handle] = words as [{ act?: string; key?: unknown }, { close(): void } | undefined];
    if (message.act === 'newconn' && handle != null) passed.set(message.key, handle);
    return send(...words);
  };
  process.once('exit', () => {
    // Closing one again does nothing.
    for (const handle of passed.values()) handle.close();
  });
}

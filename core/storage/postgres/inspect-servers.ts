import { codeOf } from './database-error.ts';
import { openSession } from './open-session.ts';
import { addressOf } from './start-errors.ts';
import { urlsOf } from './urls-of.ts';

const CONNECT_MS = 3000;

export interface InspectedServer {
  /** Host and port. */
  readonly address: string;
  /** `failure`: it cannot be used. */
  readonly state: 'primary' | 'standby' | 'failure';
  /** Of the failure; a code where there is one. */
  readonly reason: string;
  /** Commits of the installation that it lacks; undefined = it has no such table, or those of another installation. */
  readonly lacks: number | undefined;
}

/** @param newest of the primary; undefined where it has no tables */
export function inspectServers(
  url: string,
  newest: { readonly sequence: number; readonly epoch: string } | undefined,
): Promise<InspectedServer[]> {
  return Promise.all(
    urlsOf(url).map(async (one): Promise<InspectedServer> => {
      const address = addressOf(one);
      try {
        const { client, isWritable } = await openSession(one, { session: '' }, CONNECT_MS);
        const row =
          newest &&
          (await client.query('SELECT sequence, epoch FROM installation').catch(() => undefined))?.rows[0];
        await client.end();
        const lacks =
          row && row.epoch === newest?.epoch ? Math.max(0, newest.sequence - row.sequence) : undefined;
        return { address, state: isWritable ? 'primary' : 'standby', reason: '', lacks };
      } catch (error) {
        const reason = codeOf(error) || (error as Error).message;
        return { address, state: 'failure', reason, lacks: undefined };
      }
    }),
  );
}

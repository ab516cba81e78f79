import { CHANNEL_BIT } from '../../../core/model/model.ts';
import type { Storage } from '../../../core/storage/ports.ts';

/**
 * What readers see and what is queued agree: each publish has its event, and the newest is shown. The title of an item counts
 * its publishes, from 0 on.
 *
 * @throws Error for an item of which that is not true
 */
export async function checkQueued({ sql }: Storage): Promise<void> {
  const torn = await sql.all<{ codename: string; body: Uint8Array | null; events: number }>(
    `SELECT i.codename, d.body, count(e.number) AS events FROM item i
     LEFT JOIN document d ON d.item = i.number AND d.visible & ${CHANNEL_BIT.published} <> 0
     LEFT JOIN webhook_event e ON e.items LIKE '%"' || i.codename || '"%'
     GROUP BY i.number, d.number`,
  );
  for (const { codename, body, events } of torn) {
    const shown = /"value":"(\d+)"/.exec(String(body))?.[1];
    const publishes = shown === undefined ? 0 : Number(shown) + 1;
    if (publishes !== events) throw new Error(`${codename} shows ${shown}, and has ${events} events.`);
  }
}

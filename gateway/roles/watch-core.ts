import type { Core, HealthReport } from '../../core/contract.ts';
import type { Log } from '../../plugins/contract.ts';

const INTERVAL_MS = 1000;
/** A core that takes longer to report is not ready either. */
const LONGEST_REPORT_MS = 3000;

/**
 * Logs when core is no longer ready, and when it is again: one line each, however many requests fail meanwhile.
 *
 * @returns ends it
 */
export function watchCore(core: Pick<Core, 'health'>, log: Log): () => void {
  let wasReady: boolean | undefined;
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const { ok, parts } = await reportOf(core);
    if (isOver) return;
    if (!ok && wasReady !== false) {
      const faults = Object.entries(parts).filter(([, part]) => !part.ok);
      const reason = faults.map(([name, { detail }]) => `${name}: ${detail}`).join('; ');
      log.warn({ reason }, 'no core is ready: requests that need one are answered with 503 until one is');
    }
    if (ok && wasReady === false) log.info({}, 'a core is ready again');
    wasReady = ok;
    timer = setTimeout(look, INTERVAL_MS).unref();
  }
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

async function reportOf(core: Pick<Core, 'health'>): Promise<HealthReport> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<HealthReport>((resolve) => {
    const detail = `no answer within ${LONGEST_REPORT_MS / 1000} s`;
    timer = setTimeout(
      () => resolve({ ok: false, parts: { core: { ok: false, detail } } }),
      LONGEST_REPORT_MS,
    );
    timer.unref();
  });
  const failed = (error: Error): HealthReport => ({
    ok: false,
    parts: { core: { ok: false, detail: error.message } },
  });
  try {
    return await Promise.race([core.health().catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}

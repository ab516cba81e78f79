import type { ConfigEntry } from '../../config/load-config.ts';
import type { HealthReport, ProcessIdentity } from '../../core/contract.ts';
import type { RunningCoreServer } from '../../core/remote/server/serve-core.ts';
import { settingsOf } from '../gateway-report.ts';

export interface ReportedCore {
  readonly process: ProcessIdentity;
  readonly entries: readonly ConfigEntry[];
  readonly calls: RunningCoreServer['calls'];
  readonly health: () => Promise<HealthReport>;
}

/** What an operator sees of a core in a process of its own. */
export async function coreReport({ process, entries, calls, health }: ReportedCore): Promise<unknown> {
  const { role, ...identity } = process;
  return {
    ...identity,
    settings: settingsOf(entries, role),
    figures: [...calls.figures].map(([call, { running, seconds, outcomes }]) => {
      const ended = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      return {
        call,
        running,
        calls: ended,
        failed: outcomes.failed,
        mean_ms: ended === 0 ? null : Math.round((seconds / ended) * 1e5) / 100,
      };
    }),
    health: await health(),
  };
}

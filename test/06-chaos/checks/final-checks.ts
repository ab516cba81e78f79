import type { RunningCore } from '../../../core/compose/create-core.ts';
import type { Engines } from '../cluster/engines.ts';
import { checkClients, checkDeadlines, checkErrorBodies, checkStatuses } from './check-answers.ts';
import { checkFiles, checkImages } from './check-files.ts';
import { checkImports } from './check-imports.ts';
import { checkKeys } from './check-keys.ts';
import { checkLimits } from './check-limits.ts';
import { checkReadSide } from './check-read-side.ts';
import { checkReads } from './check-reads.ts';
import { checkWebhooks } from './check-webhooks.ts';
import { checkChangeLog, checkWrites } from './check-writes.ts';
import type { Evidence } from './evidence.ts';

/** Compares what the database and the bucket hold in the end with what was recorded. @returns what does not hold */
export async function finalChecks(
  core: RunningCore,
  evidence: Evidence,
  engines: Engines,
  bucket: string,
): Promise<string[]> {
  const checks: Readonly<Record<string, () => unknown>> = {
    'every client was answered': () => checkClients(evidence),
    'no request outlives its deadline': () => checkDeadlines(evidence),
    'no request fails otherwise than with 503': () => checkStatuses(evidence),
    'every error has its documented body': () => checkErrorBodies(evidence),
    'the change log has no gap': () => checkChangeLog(core),
    'what was acknowledged exists, and everything completely': () => checkWrites(core, evidence),
    'an import exists completely or not at all': () => checkImports(core, evidence.imports),
    'no read is older than it may be': () => checkReads(core, evidence),
    'notifications are neither lost, reordered nor repeated': () => checkWebhooks(core, evidence),
    'a replaced key stays dead': () => checkKeys(evidence),
    'limits hold': () => checkLimits(evidence),
    'every file has its hash': () => checkFiles(core, evidence, engines, bucket),
    'images are what was uploaded': () => checkImages(evidence),
    'the read side equals a recompilation': () => checkReadSide(core),
  };
  const failures: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      failures.push(`${name}: ${(error as Error).message}`);
    }
  }
  return failures;
}

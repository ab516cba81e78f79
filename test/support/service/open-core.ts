import type { CoreOptions } from '../../../core/compose/core-options.ts';
import { createCore, type RunningCore } from '../../../core/compose/create-core.ts';
import { ERRORS_PRINTED, VENDOR } from './core-settings.ts';
import { writeTables } from './new-installation.ts';

/** Core in the process of a test. @param options by default it prints errors and nothing else */
export async function openCore(
  options: Omit<CoreOptions, 'vendor' | 'log'> & Partial<CoreOptions>,
): Promise<RunningCore> {
  // Without that it would run every migration.
  if (!options.databaseUrl) await writeTables(options.dataDir);
  return createCore({ vendor: VENDOR, log: ERRORS_PRINTED, ...options });
}

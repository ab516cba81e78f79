import type { AdminToken } from '../access/admin-token.ts';
import type { KeyUse } from '../access/key-use.ts';
import type { ProcessQuestion, ProcessReports } from '../changes/process-reports.ts';
import type { ModelPatches } from '../model-impact/model-patches.ts';
import type { ProcessReport } from '../process-identity.ts';
import type { ActJobs } from '../publishing/act-jobs.ts';
import type { Operations } from '../transaction/operations.ts';
import type { TransferJobs } from '../transfer/transfer-jobs.ts';
import type { Usage } from '../usage/usage.ts';
import type { WebhookOperations } from '../webhooks/operator/webhook-operations.ts';

/** The services of core for management, the admin API and the command line. */
export interface Services extends Operations {
  readonly keyUse: Pick<KeyUse, 'pending'>;
  readonly adminToken: AdminToken;
  readonly actJobs: Pick<ActJobs, 'run'>;
  readonly modelPatches: ModelPatches;
  readonly usage: Pick<Usage, 'quotas' | 'today'>;
  readonly transfers: Pick<
    TransferJobs,
    'createExport' | 'runExport' | 'createClone' | 'runClone' | 'open' | 'remove' | 'idle'
  >;
  readonly webhooks: Pick<WebhookOperations, 'manualSending' | 'replays' | 'overlapMs'>;
  /** The cores of the installation, this one first, and their gateways. */
  processes(): Promise<readonly ProcessReport[]>;
  /** What gateways and cores of the installation report of themselves, as far as they answer in time. */
  processReports(request: ProcessQuestion): Promise<ProcessReports>;
  /** Resolves when no compiled document is stale. */
  settled(): Promise<void>;
}

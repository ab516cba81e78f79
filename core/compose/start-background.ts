import { join } from 'node:path';
import { NO_ADMIN_TOKEN } from '../access/admin-token.ts';
import { AuditRetention } from '../access/audit-retention.ts';
import { KeyUse } from '../access/key-use.ts';
import { ChangeRetention } from '../changes/change-retention.ts';
import { VersionRetention } from '../changes/version-retention.ts';
import { type OpenAssets, openAssets } from '../files/open-assets.ts';
import type { Services } from '../http/services.ts';
import type { BackgroundDuty } from '../jobs/background-duty.ts';
import { JobRetention } from '../jobs/job-retention.ts';
import { type RunningMail, startMail } from '../mail/start-mail.ts';
import { modelPatches } from '../management/v2/model-patches.ts';
import { ActJobs } from '../publishing/act-jobs.ts';
import { UNDO_DAYS } from '../publishing/act-on-many.ts';
import { ActRetention } from '../publishing/act-retention.ts';
import { Scheduler } from '../publishing/scheduler.ts';
import { TransferJobs } from '../transfer/transfer-jobs.ts';
import { Usage } from '../usage/usage.ts';
import { type RunningWebhooks, startWebhooks } from '../webhooks/start-webhooks.ts';
import { createOperations } from './create-operations.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Duties } from './take-duties.ts';

const NO_MAIL_SERVER = { smtp: null, from: 'Headwater <headwater@localhost>' };

/** Background work, and the services that requests use. */
export interface Background {
  readonly services: Services;
  readonly mail: RunningMail;
  readonly webhooks: RunningWebhooks;
  readonly scheduler: Scheduler;
  readonly actJobs: ActJobs;
  readonly retention: readonly BackgroundDuty[];
  readonly assets: OpenAssets;
  readonly usage: Usage;
  readonly keyUse: KeyUse;
  readonly transfers: TransferJobs;
}

export function startBackground(resources: Resources, readSide: ReadSide, duties: Duties): Background {
  const { options, storage, blobs, clock, vendor, failed } = resources;
  const { dataDir, log, workers } = options;
  const mail = startMail(
    storage,
    { ...NO_MAIL_SERVER, ...options.mail, folder: options.mail?.folder ?? join(dataDir, 'mail') },
    clock,
    log,
    duties,
  );
  const webhooks = startWebhooks({
    storage,
    settings: options.webhooks,
    vendor,
    workers,
    now: clock,
    clock: options.dispatchClock,
    onAttemptRecorded: (attempt) => mail.onAttemptRecorded(attempt),
    duties,
    log,
  });
  const usage = new Usage(storage, options.quotas ?? {}, clock);
  const keyUse = new KeyUse(storage, clock, failed('The last uses of keys could not be written.'));
  const operations = createOperations(resources, readSide);
  const transfers = new TransferJobs(operations, failed('A project could not be copied.'));
  const actJobs = new ActJobs(
    operations,
    resources.operationOptions.allowInvalid === true,
    failed('An act on many objects could not be continued.'),
  );
  const services: Services = {
    ...operations,
    transfers,
    actJobs,
    modelPatches,
    keyUse,
    adminToken: options.adminToken ?? NO_ADMIN_TOKEN,
    usage,
    webhooks: webhooks.operations,
    processes: () => readSide.gatewayFeed.processes(),
    processReports: (request) => readSide.gatewayFeed.installationReports.collect(request),
    settled: async () => {
      await scheduler.idle();
      await actJobs.idle();
      await readSide.recompiler.idle();
      await readSide.unlisted.idle();
    },
  };
  const scheduler = new Scheduler(
    services,
    clock,
    failed('Variants that were due could not be published.'),
    duties.schedules,
  );
  return {
    services,
    mail,
    webhooks,
    scheduler,
    actJobs,
    retention: retentionOf(resources, duties),
    assets: openAssets({
      storage,
      blobs,
      dataDir,
      workers,
      images: options.images,
      now: clock,
      warn: (error, text) => log.warn({ error }, text),
    }),
    usage,
    keyUse,
    transfers,
  };
}

/** What removes old rows; webhooks have one of their own. */
function retentionOf({ options, storage, clock, failed }: Resources, { retention: duty }: Duties) {
  const {
    changeDays = null,
    revisionDays = null,
    jobDays = null,
    auditDays = null,
  } = options.retention ?? {};
  const removing = (rows: string) => ({
    storage,
    clock,
    duty,
    failed: failed(`Old ${rows} could not be removed; tried again tomorrow.`),
  });
  return [
    new ChangeRetention(removing('changes'), changeDays),
    new VersionRetention(removing('versions of content'), revisionDays),
    new ActRetention(removing('acts on many objects'), UNDO_DAYS),
    new JobRetention(removing('jobs'), jobDays),
    new AuditRetention(removing('entries of the audit log'), auditDays),
  ];
}

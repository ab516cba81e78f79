import { existsSync } from 'node:fs';
import { CORE_ROLES, type Role } from '../../config/role-settings.ts';
import type { Settings } from '../../config/schema.ts';
import { StartError } from '../../config/start-error.ts';
import { type AuditedCall, audited } from '../../core/access/audit.ts';
import type { Services } from '../../core/http/services.ts';
import type { Call } from './command.ts';
import { configure } from './configure.ts';
import { failureSentence } from './failure.ts';

/**
 * Runs `work` on the data folder: in the process that owns it, or as its owner for the time of the work.
 *
 * @throws what createCore throws, for example where a running service owns the folder
 */
export async function withCore<T>(
  call: Call,
  work: (operations: Services) => Promise<T>,
  more: { readonly mayCreate?: boolean } = {},
): Promise<T> {
  const workAudited = (operations: Services) => work(audited(operations, () => auditedCall(call)));
  if (call.operations) return workAudited(call.operations);
  if (call.service) throw new StartError(withoutData(call.service.role));
  const settings = await coreSettings(call);
  const { dataDir, databaseUrl, migrations, filesDir, vendor, publishing, logLevel } = settings;
  if (databaseUrl === null && !more.mayCreate && !existsSync(dataDir)) {
    throw new StartError(`There is no data folder at ${dataDir}; 'headwater serve' makes one.`);
  }
  const level = logLevel === 'info' ? 'warn' : logLevel;
  const { createCore } = await import('../../core/compose/create-core.ts');
  const { createLog } = await import('../log.ts');
  const { adminToken } = await import('../roles/admin-token.ts');
  const { filesBucket } = await import('../roles/files-bucket.ts');
  const core = await createCore({
    dataDir,
    databaseUrl,
    migrations,
    filesDir,
    filesBucket: filesBucket(settings),
    vendor,
    publishing,
    log: createLog(level),
    adminToken: adminToken(dataDir, settings.adminToken),
    isCommand: true,
  });
  try {
    return await workAudited(core.operations);
  } finally {
    await core.close();
  }
}

/** An entry in the audit log for a command that writes nothing itself. It has done its work, also where the entry fails. */
export async function recordCommand(
  { terminal }: Pick<Call, 'terminal'>,
  { installation }: Pick<Services, 'installation'>,
): Promise<void> {
  try {
    await installation(null, async () => {});
  } catch (error) {
    const reason = failureSentence(error) ?? (error as Error).message;
    terminal.err(`headwater: The audit log has no entry of this command: ${reason}`);
  }
}

/** @throws StartError for a role that keeps no content */
export async function coreSettings(call: Call): Promise<Settings> {
  const { settings } = (await configure(call)).config;
  if (!CORE_ROLES.includes(settings.role)) throw new StartError(withoutData(settings.role));
  return settings;
}

function withoutData(role: Role): string {
  return `A ${role} keeps no content: run this command on the machine of a core, with that core's settings and data folder.`;
}

/** The audit entry of a command that writes. No option is a secret. */
function auditedCall({ command, options, arguments: given }: Call): AuditedCall {
  return {
    project: options['project']?.toLowerCase() ?? null,
    act: command,
    subject: command,
    detail: JSON.stringify(given.length === 0 ? options : { ...options, arguments: given }),
    actor: 'command line',
    origin: null,
    request: null,
  };
}

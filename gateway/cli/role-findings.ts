import { lookup } from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseCoreAddress } from '../../config/core-address.ts';
import { CORE_ROLES } from '../../config/role-settings.ts';
import type { Settings } from '../../config/schema.ts';
import { StartError } from '../../config/start-error.ts';
import { certificateFindings } from './certificate-findings.ts';
import { type Finding, failedFinding } from './finding.ts';
import { redisServers, usesRedis } from './redis-findings.ts';

const NOT_CHECKED_OF_CORE =
  'whether the address is free, the data folder, and the admin token in its database';

/** What `check` finds out about the surroundings of a role; it connects to no other process. */
export async function roleFindings(settings: Settings): Promise<Finding[]> {
  return [
    ...(await certificateFindings(settings, Date.now())),
    ...(await findingsOfRole(settings)),
    ...addressOfRedis(settings),
  ];
}

function addressOfRedis(settings: Settings): Finding[] {
  if (!usesRedis(settings)) return [];
  const detail = `${redisServers(settings)}; 'headwater doctor' connects to it`;
  return [{ state: 'ok', subject: 'redis', detail }];
}

async function findingsOfRole(settings: Settings): Promise<Finding[]> {
  if (settings.role === 'gateway') return gatewayFindings(settings);
  const database = await addressOfDatabase(settings);
  if (settings.role === 'core')
    return [...coreFindings(settings), ...database, notChecked(NOT_CHECKED_OF_CORE)];
  return database;
}

async function gatewayFindings({ cores, gateway }: Settings): Promise<Finding[]> {
  const { processes } = gateway;
  return [
    { state: 'ok', subject: 'gateway', detail: `${processes} process${processes === 1 ? '' : 'es'}` },
    ...(await Promise.all(cores.map(addressOfCore))),
    notChecked(
      "whether the cores answer, and whether they have the same internalToken: 'headwater doctor' asks them",
    ),
  ];
}

function coreFindings({ listen, dataDir, filesDir, filesUrl }: Settings): Finding[] {
  const files = filesDir ?? join(dataDir, 'files');
  const detail = existsSync(files) ? files : `${files} does not exist yet; the first start makes it`;
  return [addressOfListener(listen), { state: 'ok', subject: 'asset files', detail: filesUrl ?? detail }];
}

/** Whether the URLs of a PostgreSQL database and its replicas can be such, and the certificate files that they name are there. */
async function addressOfDatabase({ role, databaseUrl, databaseReplicaUrl }: Settings): Promise<Finding[]> {
  if (!CORE_ROLES.includes(role)) return [];
  if (databaseUrl === null) return [];
  const { databaseAddress } = await import('../../core/compose/database-address.ts');
  const findingOf = (subject: string, url: string): Finding => {
    try {
      const { name, files } = databaseAddress(url);
      const missing = files.find((file) => !existsSync(file));
      if (missing !== undefined)
        return { state: 'bad', subject, detail: `the certificate file ${missing} of its URL is not there` };
      return { state: 'ok', subject, detail: `PostgreSQL, ${name}; 'headwater doctor' connects to it` };
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      return failedFinding(subject, error);
    }
  };
  return [
    findingOf('database', databaseUrl),
    ...(databaseReplicaUrl === null ? [] : [findingOf('replicas', databaseReplicaUrl)]),
  ];
}

function notChecked(detail: string): Finding {
  return { state: 'ok', subject: 'not checked', detail };
}

async function addressOfCore(text: string): Promise<Finding> {
  const subject = `core ${text}`;
  const address = parseCoreAddress(text);
  if (address?.kind !== 'tcp') {
    const path = address?.path ?? text;
    if (existsSync(path)) return { state: 'ok', subject, detail: 'the socket exists' };
    if (existsSync(dirname(path)))
      return { state: 'ok', subject, detail: 'its core does not run at present' };
    return { state: 'bad', subject, detail: `there is no folder ${dirname(path)}` };
  }
  try {
    const found = await lookup(address.host, { all: true });
    const addresses = found.map((one) => one.address).join(', ');
    return {
      state: 'ok',
      subject,
      detail: `${addresses}, port ${address.port}${address.tls ? ', TLS' : ''}`,
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { state: 'bad', subject, detail: `the name ${address.host} cannot be resolved (${code})` };
  }
}

function addressOfListener(listen: string): Finding {
  const address = parseCoreAddress(listen);
  const subject = 'listen';
  if (address?.kind === 'unix' && !existsSync(dirname(address.path)))
    return { state: 'bad', subject, detail: `there is no folder ${dirname(address.path)}` };
  return { state: 'ok', subject, detail: listen };
}

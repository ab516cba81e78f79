import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CORE_ROLES } from '../../../config/role-settings.ts';
import { SECRET_TOKEN } from '../../../config/secret-token.ts';
import { type Call, type Command, UsageError } from '../command.ts';
import { configure, pluginOrderOf } from '../configure.ts';
import type { FileCheck } from '../file-findings.ts';
import { type Finding, failedFinding } from '../finding.ts';
import { counted, printTable } from '../print.ts';
import { progressLines } from '../progress.ts';

const LEAST_FREE_BYTES = 1 << 30;

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks Node, configuration, data folder, disk, certificates, database, asset files, cores, Redis and image workers.',
  details:
    'Each line has a state, ok, warn or bad, and what to do next. Connects to the database, to cores, to Redis and to the store\n' +
    'of asset files, and lists these; changes nothing there, and can run beside the service. Orphaned files are those that\n' +
    'no asset has had for a day. Exits with 1 where a finding is bad.',
  options: {
    read: { about: 'read each asset file and compare it with its hash' },
    'delete-orphaned': { about: 'delete the asset files that no asset has; no core may run' },
  },
  async run(call) {
    const findings = [node(), await sqlite(), ...(await installation(call))];
    printTable(
      call,
      findings.map(({ state, subject, detail }) => [state, subject, detail]),
    );
    return findings.some(({ state }) => state === 'bad') ? 1 : 0;
  },
};

function node(): Finding {
  const pool = process.env['UV_THREADPOOL_SIZE'] ?? '4';
  return {
    state: 'ok',
    subject: 'node',
    detail: `${process.version}, ${process.platform} ${process.arch}, ${pool} pool threads`,
  };
}

async function sqlite(): Promise<Finding> {
  try {
    const { default: driver } = await import('sqlite3');
    return { state: 'ok', subject: 'database driver', detail: `SQLite ${driver.VERSION}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { state: 'bad', subject: 'database driver', detail: `sqlite3 does not load: ${reason}` };
  }
}

async function installation(call: Call): Promise<Finding[]> {
  try {
    const configured = await configure(call);
    await pluginOrderOf(configured);
    const given = configured.config.entries.filter(({ origin }) => origin.from !== 'default').length;
    const detail = `valid, ${counted(given, 'setting')} set`;
    const { settings } = configured.config;
    const [option] = call.switches;
    if (option !== undefined && !CORE_ROLES.includes(settings.role))
      throw new UsageError(`--${option} is for a core: a ${settings.role} has no asset files.`);
    const { certificateFindings } = await import('../certificate-findings.ts');
    const { coreFindings } = await import('../core-findings.ts');
    const { imageFindings } = await import('../image-findings.ts');
    const { redisFindings } = await import('../redis-findings.ts');
    const { databaseFindings } = await import('../database-findings.ts');
    return [
      { state: 'ok', subject: 'configuration', detail },
      dataFolder(settings.dataDir),
      disk(settings.dataDir),
      ...(await certificateFindings(settings, Date.now())),
      ...(CORE_ROLES.includes(settings.role) ? await databaseFindings(settings, fileCheck(call)) : []),
      ...(settings.role === 'gateway' ? await coreFindings(settings) : []),
      ...(await redisFindings(settings)),
      ...(settings.role === 'gateway' ? [] : await imageFindings(settings)),
    ];
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return [failedFinding('configuration', error)];
  }
}

function fileCheck(call: Call): FileCheck {
  return {
    read: call.switches.has('read'),
    deleteOrphaned: call.switches.has('delete-orphaned'),
    progress: progressLines(call, 'files'),
  };
}

function dataFolder(dataDir: string): Finding {
  const subject = 'data folder';
  if (!existsSync(dataDir))
    return { state: 'ok', subject, detail: `${dataDir} does not exist yet; the first start makes it` };
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { state: 'bad', subject, detail: `${dataDir} cannot be written by this user` };
  }
  const tokenFile = join(dataDir, 'admin-token');
  if (existsSync(tokenFile) && (statSync(tokenFile).mode & 0o077) !== 0) {
    return { state: 'bad', subject, detail: `${tokenFile} can be read by other users` };
  }
  if (existsSync(tokenFile) && !SECRET_TOKEN.test(readFileSync(tokenFile, 'utf8').trim())) {
    const detail = `${tokenFile} holds no admin token; remove it to have one made by the next start`;
    return { state: 'bad', subject, detail };
  }
  if ((statSync(dataDir).mode & 0o007) !== 0) {
    return { state: 'warn', subject, detail: `${dataDir} can be read by other users; chmod 700 fixes that` };
  }
  return { state: 'ok', subject, detail: dataDir };
}

function disk(dataDir: string): Finding {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${(free / 2 ** 30).toFixed(1)} GB free`;
  if (free < LEAST_FREE_BYTES / 10) return { state: 'bad', subject: 'disk', detail };
  return { state: free < LEAST_FREE_BYTES ? 'warn' : 'ok', subject: 'disk', detail };
}

import { programVersion } from '../../config/program-version.ts';
import type { Settings } from '../../config/schema.ts';
import type { InspectedContent, InspectedDatabase } from '../../core/compose/inspect-database.ts';
import { filesBucket } from '../roles/files-bucket.ts';
import { type FileCheck, fileFindings } from './file-findings.ts';
import { type Finding, failedFinding } from './finding.ts';
import { counted } from './print.ts';

type InspectedPostgres = NonNullable<InspectedDatabase['postgres']>;
type InspectedSetting = keyof InspectedPostgres['settings'];

/** Of one core: the writer, 14 readers, four for the work between cores and for interrupts, a backup. */
const SESSIONS_OF_CORE = 20;
const CLOCK_WARNING_MS = 1000;
const SLOW_ANSWER_MS = 20;
/** A backup, a restore and ANALYZE are statements that last longer than any request. */
const LONG_STATEMENT_MS = 600_000;
/** Sessions that are used at intervals have to outlast them. */
const SHORTEST_IDLE_MS = 10_000;

/** What `doctor` finds out about the database, its content, and the files of assets. */
export async function databaseFindings(settings: Settings, files: FileCheck): Promise<Finding[]> {
  const { inspectDatabase } = await import('../../core/compose/inspect-database.ts');
  let inspected: InspectedDatabase | undefined;
  try {
    inspected = await inspectDatabase({ ...settings, filesBucket: filesBucket(settings) }, files);
  } catch (error) {
    return [failedFinding('database', error)];
  }
  if (inspected === undefined)
    return [{ state: 'ok', subject: 'database', detail: 'there is none yet; the first start makes it' }];
  const { schema, postgres, content } = inspected;
  return [
    ...(postgres ? postgresFindings(postgres, settings) : []),
    schemaFinding(schema, settings),
    ...(content
      ? [
          { state: 'ok' as const, subject: 'content', detail: contentDetail(content) },
          ...(await fileFindings(settings, content.files, files)),
        ]
      : []),
  ];
}

function contentDetail({ projects, sequence }: InspectedContent): string {
  return `${counted(projects, 'project')}, sequence ${sequence}`;
}

function schemaFinding(
  { schema, missingMigrations: { length }, lacksIndexes }: InspectedDatabase['schema'],
  { migrations }: Settings,
): Finding {
  const subject = 'schema';
  if (lacksIndexes)
    return {
      state: 'warn',
      subject,
      detail: `${schema}, without some indexes: a command loads content, or ended early and the next start writes them`,
    };
  if (length === 0) return { state: 'ok', subject, detail: `up to date, ${schema}` };
  const found =
    schema === null ? 'there are no tables yet' : `${schema}; ${counted(length, 'migration')} missing`;
  return migrations === 'start'
    ? { state: 'warn', subject, detail: `${found}; the next start of a core applies them` }
    : { state: 'bad', subject, detail: `${found}; run 'headwater migrate' before a core starts` };
}

function postgresFindings(found: InspectedPostgres, { migrations }: Settings): Finding[] {
  const { name, version, milliseconds } = found;
  const isSlow = milliseconds > SLOW_ANSWER_MS;
  return [
    {
      state: isSlow ? 'warn' : 'ok',
      subject: 'database',
      detail: `PostgreSQL ${version}, ${name.replace(/^The d/, 'd')}, answers in ${milliseconds.toFixed(1)} ms${isSlow ? '; place cores nearer to it' : ''}`,
    },
    rights(found, migrations === 'start'),
    durability(found),
    limits(found),
    connections(found),
    clock(found),
    ...servers(found),
    ...replicas(found),
    ...versions(found),
  ];
}

function rights(
  { user, rights: may, missingMigrations }: InspectedPostgres,
  migratesAtStart: boolean,
): Finding {
  const subject = 'database rights';
  const lacks = (state: 'warn' | 'bad', detail: string): Finding => ({
    state,
    subject,
    detail: `${user} ${detail}`,
  });
  if (!may.temporaryObjects)
    return lacks('bad', 'may not make temporary objects; GRANT TEMPORARY ON DATABASE');
  if (may.notWritable.length > 0)
    return lacks(
      'bad',
      `may not write ${listed(may.notWritable)}; grant it all rights on the tables and sequences`,
    );
  const willMigrate = migratesAtStart && missingMigrations.length > 0;
  if (!may.newTables || may.notOwned.length > 0)
    return lacks(
      willMigrate ? 'bad' : 'warn',
      `cannot migrate ${may.newTables ? listed(may.notOwned) : 'the schema'}; run 'headwater migrate' as the owner of the database`,
    );
  if (!may.newSchemas) return lacks('warn', 'cannot restore a backup; GRANT CREATE ON DATABASE');
  return { state: 'ok', subject, detail: `${user} may read, write, migrate and restore` };
}

function durability({ settings }: InspectedPostgres): Finding {
  const subject = 'durability';
  const off = (['fsync', 'full_page_writes'] as const).filter((name) => settings[name] === 'off');
  if (off.length > 0)
    return {
      state: 'bad',
      subject,
      detail: `${off.join(' and ')} off: a crash of the machine can destroy the database; set ${off.length === 1 ? 'it' : 'them'} to on`,
    };
  const commit = settings.synchronous_commit;
  if (commit === 'off')
    return {
      state: 'warn',
      subject,
      detail: 'synchronous_commit is off: a crash loses acknowledged writes; set it to on',
    };
  return { state: 'ok', subject, detail: `fsync on, synchronous_commit ${commit}` };
}

/** Limits that end sessions or statements which have to last. */
function limits({ settings, user }: InspectedPostgres): Finding {
  const subject = 'database limits';
  const tooShort = (name: InspectedSetting, least: number) => {
    const milliseconds = inMilliseconds(settings[name]);
    return milliseconds > 0 && milliseconds < least ? `${name} is ${settings[name]}` : undefined;
  };
  const found = [
    tooShort('statement_timeout', LONG_STATEMENT_MS),
    tooShort('transaction_timeout', LONG_STATEMENT_MS),
    tooShort('idle_session_timeout', SHORTEST_IDLE_MS),
  ].filter((text) => text !== undefined);
  if (found.length === 0)
    return { state: 'ok', subject, detail: 'none that ends sessions or long statements' };
  return {
    state: 'warn',
    subject,
    detail: `${found.join(', ')}: backups, listings or sessions of cores are ended by it; ALTER ROLE "${user}" SET … = 0`,
  };
}

/** @param text as PostgreSQL shows it: `0`, `500ms`, `2min` */
function inMilliseconds(text = '0'): number {
  const [, number = '0', unit = 'ms'] = /^(\d+)(ms|s|min|h|d)?$/.exec(text) ?? [];
  return (
    Number(number) *
    { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 'ms' | 's' | 'min' | 'h' | 'd']
  );
}

function connections({ connections: { limit, used }, runningCores }: InspectedPostgres): Finding {
  const subject = 'connections';
  const cores = Math.max(1, runningCores);
  const needed = cores * SESSIONS_OF_CORE;
  const text = `${limit} for this user, ${used} in use; ${counted(cores, 'core')} may open ${needed}`;
  if (limit < SESSIONS_OF_CORE)
    return { state: 'bad', subject, detail: `${text}; raise max_connections or the limit of the user` };
  if (limit < needed + SESSIONS_OF_CORE)
    return {
      state: limit < needed ? 'bad' : 'warn',
      subject,
      detail: `${text}${limit < needed ? '' : ', which one more core exceeds'}; raise max_connections or the limit of the user`,
    };
  return { state: 'ok', subject, detail: text };
}

/** Whether a failover finds a server, and what it can lose. */
function servers({ servers: all, settings }: InspectedPostgres): Finding[] {
  if (all.length === 1) return [];
  const listed = all.map(({ address, state, reason }) =>
    state === 'failure' ? `${address} cannot be used (${reason})` : `${address} is a ${state}`,
  );
  const isComplete = all.every(({ state }) => state !== 'failure');
  const primaries = all.filter(({ state }) => state === 'primary').length;
  const names = settings.synchronous_standby_names ?? '';
  const isWaiting = names !== '' && !/^(?:off|local)$/.test(settings.synchronous_commit ?? '');
  return [
    {
      state: primaries > 1 ? 'bad' : isComplete ? 'ok' : 'warn',
      subject: 'database servers',
      detail: `${listed.join(', ')}${primaries > 1 ? '; two accept writes: stop the former primary' : ''}`,
    },
    isWaiting
      ? { state: 'ok', subject: 'replication', detail: `commits wait for ${names}` }
      : {
          state: 'warn',
          subject: 'replication',
          detail:
            'commits wait for no standby, so a failover can lose acknowledged writes; set synchronous_standby_names',
        },
  ];
}

function replicas({ replicas: all }: InspectedPostgres): Finding[] {
  return all.map(({ address, state, reason, lacks }) => {
    const subject = `replica ${address}`;
    if (state === 'failure') return { state: 'warn', subject, detail: `it cannot be used (${reason})` };
    if (lacks === undefined)
      return { state: 'bad', subject, detail: 'it has the data of another installation' };
    return {
      state: 'ok',
      subject,
      detail: lacks === 0 ? 'it has every commit' : `it lacks ${counted(lacks, 'commit')}`,
    };
  });
}

function versions({ runningVersions: running }: InspectedPostgres): Finding[] {
  const subject = 'versions';
  const own = programVersion();
  if (running.every((version) => version === own))
    return running.length === 0
      ? []
      : [{ state: 'ok', subject, detail: `all running processes have ${own}` }];
  return [
    {
      state: 'warn',
      subject,
      detail: `running processes have ${running.join(', ')}, this one ${own}; finish the upgrade`,
    },
  ];
}

function clock({ clock: { difference, uncertainty } }: InspectedPostgres): Finding {
  const subject = 'clocks';
  const detail = `the database's is ${Math.abs(difference).toFixed(0)} ms ${difference < 0 ? 'behind' : 'ahead'}`;
  if (Math.abs(difference) - uncertainty > CLOCK_WARNING_MS)
    return { state: 'warn', subject, detail: `${detail}; synchronize both machines (NTP)` };
  return { state: 'ok', subject, detail };
}

function listed(names: readonly string[]): string {
  return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ');
}

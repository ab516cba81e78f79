import { join, resolve } from 'node:path';
import { parseFilesUrl } from '../../../config/files-settings.ts';
import type { Settings } from '../../../config/schema.ts';
import { readSecretFile } from '../../../config/secret-file.ts';
import { StartError } from '../../../config/start-error.ts';
import type { Moved, MoveOptions } from '../../../core/compose/move-installation.ts';
import { filesBucket } from '../../roles/files-bucket.ts';
import { type Call, type Command, UsageError } from '../command.ts';
import { progressLines } from '../progress.ts';
import { coreSettings } from '../with-core.ts';

const URL_FORM = /^[a-z][a-z0-9+.-]*:\/\//i;

export const move: Command = {
  name: 'move',
  summary: 'Moves the installation to PostgreSQL or back, its files to S3 or back.',
  details:
    'The source is what the settings name; it must not be served meanwhile, and stays as it is. The target must be an\n' +
    'empty database, or one that this command has filled. Compares the rows of both afterwards, and files by their\n' +
    'hash. Repeat it after an interruption: it continues. A URL with a password can be seen in the list of\n' +
    'processes; --to-file reads it from a file. A bucket is used with the credentials of the settings files.accessKeyId\n' +
    'and files.secretAccessKey, else with those that the machine has. Prints the settings to change.',
  options: {
    to: { value: 'URL|FOLDER', about: 'the new database: postgres://…, or a data folder for SQLite' },
    'to-file': { value: 'FILE', about: 'a file with the URL of the new database' },
    'files-to': { value: 'URL|FOLDER', about: 'where the files go: s3://…, or a folder' },
  },
  async run(call) {
    const to = databaseTarget(call);
    const settings = await coreSettings(call);
    const filesTo = filesTarget(call, settings);
    if (!to && !filesTo) throw new UsageError('--to, --to-file or --files-to is missing.');
    refuseSame(settings, to, filesTo);
    const { moveInstallation } = await import('../../../core/compose/move-installation.ts');
    const moved = await moveInstallation({
      source: { ...settings, filesBucket: filesBucket(settings) },
      to,
      filesTo,
      progress: {
        step: (text) => call.terminal.progress(`${text} …`),
        rows: rowsProgress(call),
        files: progressLines(call, 'files'),
        warn: (text) => call.terminal.err(`headwater: ${text}`),
      },
    });
    for (const line of summary(moved)) call.terminal.out(line);
    for (const line of nextSettings(settings, to, filesTo)) call.terminal.out(line);
    const missing = moved.files?.missing ?? [];
    for (const hash of missing)
      call.terminal.err(`headwater: The file ${hash} is missing, damaged or cannot be read in the source.`);
    return missing.length === 0 ? 0 : 1;
  },
};

function databaseTarget(call: Call): MoveOptions['to'] {
  const { to, 'to-file': file } = call.options;
  if (to !== undefined && file !== undefined) throw new UsageError('--to and --to-file exclude each other.');
  if (file !== undefined) {
    const read = readSecretFile(resolve(call.folder, file));
    if ('rule' in read) throw new StartError(`--to-file ${read.rule}.`);
    return { databaseUrl: read.text };
  }
  if (to === undefined) return undefined;
  if (to === '') throw new UsageError('--to is empty.');
  return URL_FORM.test(to) ? { databaseUrl: to } : { dataDir: resolve(call.folder, to) };
}

function filesTarget(call: Call, settings: Settings): MoveOptions['filesTo'] {
  const text = call.options['files-to'];
  if (text === undefined) return undefined;
  if (text === '') throw new UsageError('--files-to is empty.');
  if (!URL_FORM.test(text)) return { folder: resolve(call.folder, text) };
  if (parseFilesUrl(text) === undefined)
    throw new UsageError(
      '--files-to must be s3://bucket/prefix?endpoint=https://host&region=name&pathStyle=true, where all but the bucket may be left out, or a folder.',
    );
  const bucket = filesBucket({ ...settings, filesUrl: text });
  return bucket ? { bucket } : undefined;
}

function refuseSame(settings: Settings, to: MoveOptions['to'], filesTo: MoveOptions['filesTo']): void {
  const { databaseUrl, dataDir } = settings;
  const isSame =
    to !== undefined &&
    ('databaseUrl' in to
      ? to.databaseUrl === databaseUrl
      : databaseUrl === null && to.dataDir === resolve(dataDir));
  if (isSame) throw new UsageError('The new database is the one of the settings.');
  const bucket = filesBucket(settings);
  const areSameFiles =
    filesTo !== undefined &&
    ('bucket' in filesTo
      ? JSON.stringify(filesTo.bucket) === JSON.stringify(bucket)
      : bucket === null && filesTo.folder === filesFolder(settings));
  if (areSameFiles) throw new UsageError('--files-to names the files of the settings.');
}

function filesFolder({ filesDir, dataDir }: Pick<Settings, 'filesDir' | 'dataDir'>): string {
  return resolve(filesDir ?? join(dataDir, 'files'));
}

/** A line a second. */
function rowsProgress({ terminal }: Call): MoveOptions['progress']['rows'] {
  let printed = performance.now();
  return (done, total) => {
    if (performance.now() - printed < 1000) return;
    printed = performance.now();
    terminal.progress(total === undefined ? `${done} rows` : `${done} of ${total} rows`);
  };
}

function* summary({ data, files }: Moved): Generator<string> {
  if (data)
    yield `The database has been moved: ${data.rows} rows in ${data.tables} tables, equal on both sides${data.isResumed ? '; continued an earlier move' : ''}.`;
  if (files) {
    const { copied, bytes, missing } = files;
    const present = files.files - copied - missing.length;
    yield `Files: ${copied} copied (${bytes} bytes), ${present} were there already, ${missing.length} missing.`;
  }
}

function* nextSettings(
  settings: Settings,
  to: MoveOptions['to'],
  filesTo: MoveOptions['filesTo'],
): Generator<string> {
  yield 'The source is unchanged. Change these settings before the next start:';
  const newFolder = to && 'dataDir' in to ? to.dataDir : undefined;
  if (newFolder !== undefined) {
    yield '  databaseUrl: none';
    if (newFolder !== resolve(settings.dataDir)) yield `  dataDir: ${newFolder}`;
  } else if (to)
    yield '  databaseUrl: the URL of the new database, as a secret (HEADWATER_DATABASE_URL_FILE)';
  if (filesTo && 'bucket' in filesTo) yield '  filesUrl: the URL that --files-to had';
  else if (filesTo) yield `  filesUrl: none\n  filesDir: ${filesTo.folder}`;
  else if (newFolder !== undefined && settings.filesUrl === null)
    yield `  filesDir: ${filesFolder(settings)}`;
}

import type { Settings } from '../../config/schema.ts';
import type { InspectedContent, InspectedFiles } from '../../core/compose/inspect-database.ts';
import { filesBucket } from '../roles/files-bucket.ts';
import { type Finding, failedFinding } from './finding.ts';

export interface FileCheck {
  /** Reads each file and compares it with its hash. */
  readonly read: boolean;
  readonly deleteOrphaned: boolean;
  readonly progress: (done: number, total: number) => void;
}

/** What `doctor` finds out about the files of assets. */
export async function fileFindings(
  settings: Settings,
  files: InspectedContent['files'],
  check: Pick<FileCheck, 'read' | 'deleteOrphaned'>,
): Promise<Finding[]> {
  const subject = 'asset files';
  if (files instanceof Error) return [failedFinding(subject, files)];
  return [
    ...(files.isOfAnother
      ? [{ state: 'bad' as const, subject, detail: 'another installation uses the bucket of filesUrl' }]
      : []),
    ...presentFindings(files, check.read),
    ...(await orphanedFindings(settings, files, check.deleteOrphaned)),
  ];
}

function presentFindings({ files, missing, damaged }: InspectedFiles, isRead: boolean): Finding[] {
  const subject = 'asset files';
  if (missing.length === 0 && damaged.length === 0)
    return [{ state: 'ok', subject, detail: `${files}, all there${isRead ? ', each with its hash' : ''}` }];
  const bad = (names: readonly string[], what: string): Finding[] =>
    names.length === 0
      ? []
      : [
          {
            state: 'bad',
            subject,
            detail: `${names.length} of ${files} ${what} (${names.slice(0, 3).join(', ')}${names.length > 3 ? ' …' : ''}); check filesDir or filesUrl, or restore them from a backup`,
          },
        ];
  return [...bad(missing, 'missing or of another size'), ...bad(damaged, 'damaged')];
}

async function orphanedFindings(
  settings: Settings,
  { orphaned }: InspectedFiles,
  isDeleted: boolean,
): Promise<Finding[]> {
  if (orphaned.length === 0) return [];
  const subject = 'asset files';
  const bytes = orphaned.reduce((sum, { size }) => sum + size, 0);
  const found = `${orphaned.length} orphaned (${bytes} bytes)`;
  if (!isDeleted) {
    const detail = `${found}: no asset has them; 'headwater doctor --delete-orphaned' deletes them while the service is stopped`;
    return [{ state: 'warn', subject, detail }];
  }
  try {
    const { removeOrphanedFiles } = await import('../../core/compose/remove-orphaned-files.ts');
    const removed = await removeOrphanedFiles({ ...settings, filesBucket: filesBucket(settings) });
    return [{ state: 'ok', subject, detail: `${removed} orphaned deleted (${bytes} bytes)` }];
  } catch (error) {
    const { detail } = failedFinding(subject, error);
    return [{ state: 'bad', subject, detail: `${found}, not deleted: ${detail}` }];
  }
}

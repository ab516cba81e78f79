import type { Blobs } from '../storage/blobs/blobs.ts';
import type { Storage } from '../storage/ports.ts';
import type { Sql } from '../storage/sql.ts';
import type { TemporaryFolders } from '../storage/temporary-folders.ts';
import type { InProjectOptions } from './in-project.ts';
import type { Installation } from './installation.ts';
import type { ProjectTransaction } from './project-transaction.ts';
import type { ProjectView } from './project-view.ts';

/** Access of all parts of core to the database and the files. */
export interface Operations {
  /** Runs operations on a project in one durable transaction. */
  inProject<T>(
    project: string,
    actor: string | null,
    work: (transaction: ProjectTransaction) => Promise<T>,
    options?: InProjectOptions,
  ): Promise<T>;
  /** Reads a project over one snapshot, without waiting for writers. */
  read<T>(project: string, work: (view: ProjectView) => Promise<T>): Promise<T>;
  /**
   * Runs operations on projects, users and keys; resolves once every gateway has confirmed the change.
   * @param check see `Storage.write`
   */
  installation<T>(
    actor: string | null,
    work: (installation: Installation) => Promise<T>,
    check?: () => void,
  ): Promise<T>;
  readonly storage: Storage;
  /** For reads of requests. */
  readonly reader: { readonly sql: Sql };
  readonly blobs: Blobs;
  readonly temporary: TemporaryFolders;
}

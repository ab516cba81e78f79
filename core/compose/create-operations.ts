import type { CoreRequest } from '../http/request.ts';
import { inProject } from '../transaction/in-project.ts';
import type { Operations } from '../transaction/operations.ts';
import { readProject } from '../transaction/project-view.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';

/** No listing of these surfaces is unlimited, but some read many rows. */
const MANAGEMENT_STATEMENT_MS = 10_000;

export function createOperations(resources: Resources, readSide: ReadSide): Operations {
  const { storage, blobs, temporary, operationOptions: options } = resources;
  const { delivery, participants, recompiler, unlisted, gatewayFeed } = readSide;
  const stale = () => {
    recompiler.wake();
    unlisted.wake();
  };
  return {
    inProject: (project, actor, work, access) =>
      inProject(
        storage,
        { options, participants, models: delivery.models, stale },
        project,
        actor,
        work,
        access,
      ),
    ...managementReads(resources, readSide, {}),
    async installation(actor, work, check) {
      let sequence = 0;
      const result = await storage.write(
        (tx) => {
          sequence = tx.sequence;
          return work({ tx, actor, options });
        },
        undefined,
        check,
      );
      await gatewayFeed.confirmed(sequence);
      return result;
    },
    storage,
    blobs,
    temporary,
  };
}

/** The readers of management and admin, for one request. */
export function managementReads(
  { storage }: Resources,
  { delivery: { models } }: ReadSide,
  { signal, timing }: Pick<CoreRequest, 'signal' | 'timing'>,
): Pick<Operations, 'reader' | 'read'> {
  const scope = {
    class: 'management',
    signal,
    timing,
    statementMilliseconds: MANAGEMENT_STATEMENT_MS,
  } as const;
  return {
    reader: storage.reader({ share: 'installation', ...scope }),
    read: (project, work) => readProject(models, storage.reader({ share: project, ...scope }), project, work),
  };
}

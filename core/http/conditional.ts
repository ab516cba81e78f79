import { ServiceError } from '../errors.ts';
import { loadModel } from '../model/load-model.ts';
import type { Operations } from '../transaction/operations.ts';
import { matches, matchesStrongly } from './entity-tag.ts';
import type { CoreRequest } from './request.ts';

/**
 * Operations whose first transaction is carried out only where the object has a tag that `If-Match` and `If-None-Match`
 * permit (RFC 9110, 13.1). It is read in that transaction: of two writers with the same tag, one is refused.
 *
 * @param tagOf reads the object; undefined where there is none
 */
export function conditional<T extends Operations>(
  operations: T,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: CoreRequest['headers'],
  tagOf: (inside: T) => Promise<string | undefined>,
): T {
  if (ifMatch === undefined && ifNoneMatch === undefined) return operations;
  let isChecked = false;

  async function checked<R>(inside: Pick<Operations, 'read' | 'reader'>, work: () => Promise<R>): Promise<R> {
    if (isChecked) return work();
    const tag = await tagOf({ ...operations, ...inside });
    if (matches(ifNoneMatch, tag)) throw preconditionFailed('The object exists already');
    if (ifMatch === undefined) return work();
    if (tag === undefined) {
      // What the call itself finds wrong comes first (RFC 9110, 13.2.1); the error undoes its work.
      await work();
      throw preconditionFailed('There is no such object any more');
    }
    if (!matchesStrongly(ifMatch, tag)) throw preconditionFailed('The object was changed since it was read');
    return work();
  }
  const done = <R>(result: R): R => {
    isChecked = true;
    return result;
  };
  return {
    ...operations,
    inProject: (project, actor, work, options) =>
      operations
        .inProject(
          project,
          actor,
          (transaction) =>
            checked({ reader: { sql: transaction.tx }, read: (_project, read) => read(transaction) }, () =>
              work(transaction),
            ),
          options,
        )
        .then(done),
    installation: (actor, work) =>
      operations
        .installation(actor, (installation) => {
          const { tx } = installation;
          const read: Operations['read'] = async (project, read) => {
            const model = await loadModel(tx, project);
            return read({ tx, model, project: model.project });
          };
          return checked({ reader: { sql: tx }, read }, () => work(installation));
        })
        .then(done),
  };
}

export function preconditionFailed(what: string): ServiceError {
  return new ServiceError('preconditionFailed', `${what}, so nothing was written.`);
}

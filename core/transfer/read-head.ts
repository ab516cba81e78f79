import { ServiceError } from '../errors.ts';
import { isId } from '../model/external-id.ts';
import { type ArchiveHead, damaged, FORMAT } from './archive-rows.ts';

const ARCHIVE_LIMIT = 200;
/** More rows of a kind than any installation holds; sums of such counts are exact numbers. */
const COUNT_LIMIT = 2 ** 40;

/** The time of the archive is for people. */
export type ReadHead = Omit<ArchiveHead, 'created'>;

/** @throws badRequest unless it is the head of an archive that this version reads */
export function readHead(text: string): ReadHead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged('its head is not JSON', error);
  }
  const head = (typeof value === 'object' && value !== null ? value : {}) as Partial<ArchiveHead>;
  if (typeof head.format === 'number' && head.format > FORMAT)
    throw new ServiceError('badRequest', 'The archive was written by a newer version than this one.');
  const { archive, project, counts } = head;
  if (
    head.format !== FORMAT ||
    typeof archive !== 'string' ||
    archive.length > ARCHIVE_LIMIT ||
    /\p{Cc}|\p{Surrogate}/u.test(archive) ||
    typeof project?.id !== 'string' ||
    !isId(project.id) ||
    typeof project.name !== 'string' ||
    typeof counts !== 'object' ||
    counts === null
  )
    throw damaged('its head is wrong');
  const { assets, items, variants } = counts;
  const isCount = (count: unknown) =>
    Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= COUNT_LIMIT;
  if (![assets, items, variants].every(isCount)) throw damaged('its counts are wrong');
  const { id, name } = project;
  return {
    format: FORMAT,
    archive,
    project: { id, name },
    counts: { assets, items, variants },
  };
}

import { ApiError, callTagged, isNoProject } from '../../api.ts';
import type { ServedVariant, VariantServer } from './item-form.ts';
import type { ManagedVariant } from './managed.ts';
import { ChangedElsewhere, Obstructed, Refused } from './saving.ts';

/** Numbers of errors in the server's catalogue. */
const ITEM_NOT_FOUND = 100;
const VARIANT_NOT_FOUND = 103;
const LANGUAGE_NOT_FOUND = 111;
/** What a browser sends after its page was closed is at most 64 kB. */
const LARGEST_LAST = 60_000;

/** The variant at a path of the management API. */
export function variantServer(path: string): VariantServer {
  return {
    async read(): Promise<ServedVariant> {
      try {
        const { value, etag } = await callTagged<ManagedVariant>('GET', path);
        return { variant: value, etag };
      } catch (error) {
        if (isMissing(error, VARIANT_NOT_FOUND)) return { variant: null, etag: undefined };
        throw reasonOf(error);
      }
    },
    async write(elements, read, isLeaving): Promise<ServedVariant> {
      const condition = read === undefined ? { isNew: true } : { etag: read };
      const isLast = isLeaving && JSON.stringify(elements).length < LARGEST_LAST;
      try {
        const { value, etag } = await callTagged<ManagedVariant>(
          'PUT',
          path,
          { elements },
          { ...condition, isLast },
        );
        return { variant: value, etag };
      } catch (error) {
        throw reasonOf(error);
      }
    },
    isLost: (error) => error instanceof ApiError && (error.status === 0 || error.status >= 500),
  };
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const { status } = error;
  return status === 0 || status === 401 || status === 408 || status === 429 || status >= 500;
}

/** Whether no answer came: there is no connection. */
export function isOffline(error: unknown): boolean {
  return error instanceof ApiError && error.status === 0 && error.message === 'unreachable';
}

function reasonOf(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, issues } = error;
  if (status === 412) return new ChangedElsewhere();
  if (status === 403) return new Obstructed('forbidden', error);
  if (isNoProject(error)) return new Obstructed('project', error);
  if (isMissing(error, ITEM_NOT_FOUND)) return new Obstructed('item', error);
  if (isMissing(error, LANGUAGE_NOT_FOUND)) return new Obstructed('language', error);
  const findings = issues.flatMap(({ path, message }) => (path === undefined ? [] : [{ path, message }]));
  return status === 400 && findings.length > 0 ? new Refused(findings, error) : error;
}

function isMissing(error: unknown, code: number): boolean {
  return error instanceof ApiError && error.status === 404 && error.code === code;
}

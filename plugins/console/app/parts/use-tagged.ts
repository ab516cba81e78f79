import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError, callTagged, type Tagged } from '../api.ts';

type Write = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface TaggedObject<T> {
  /** As it was read; undefined until then, and for a new object. */
  readonly value: T | undefined;
  /** Why it could not be read. */
  readonly failure: unknown;
  /** What others made of it since; set where a write was refused for that. */
  readonly theirs: T | undefined;
  /** Another one for each state that is shown: the key of the form. */
  readonly key: number;
  /** Writes it, or what is below it, where it is still as it was read. @throws ApiError with status 412 where it is not */
  write<R>(method: Write, path: string, body?: unknown): Promise<R>;
  /** Further writes replace what others made of it. */
  keepMine(): void;
  /** Shows what others made of it. */
  takeTheirs(): void;
  /** Reads what others made of it, if they changed it. */
  findTheirs(): Promise<void>;
  /** Reads it again. */
  reload(): Promise<void>;
}

/**
 * Acts on an object as a list shows it.
 *
 * @param same properties that have to be as they are shown
 * @throws ApiError with status 412 where one is not, or someone changes the object meanwhile
 */
export async function actOnShown<T extends object, R>(
  path: string,
  shown: T,
  same: readonly (keyof T)[],
  [method, to, body]: readonly [method: Write, to: string, body?: unknown],
): Promise<R> {
  const { value, etag } = await callTagged<T>('GET', path);
  if (same.some((name) => value[name] !== shown[name])) throw new ApiError(412, '');
  return (await callTagged<R>(method, to, body, { etag })).value;
}

/** One object with its `ETag`. @param path undefined: a new object */
export function useTagged<T>(path: string | undefined): TaggedObject<T> {
  const base = useSignal<Tagged<T> | undefined>(undefined);
  const theirs = useSignal<Tagged<T> | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const key = useSignal(0);
  const read = () => callTagged<T>('GET', path ?? '');

  const show = (found: Tagged<T> | undefined) => {
    if (!found) return;
    base.value = found;
    theirs.value = undefined;
    key.value += 1;
  };
  const reload = async () => {
    failure.value = undefined;
    try {
      show(await read());
    } catch (error) {
      failure.value = error;
    }
  };
  useEffect(() => {
    if (path !== undefined) void reload();
  }, [path]);

  return {
    value: base.value?.value,
    failure: failure.value,
    theirs: theirs.value?.value,
    key: key.value,
    async write<R>(method: Write, to: string, body?: unknown) {
      try {
        const { value, etag } = await callTagged<R>(method, to, body, { etag: base.value?.etag });
        if (etag !== undefined && base.value) base.value = { ...base.value, etag };
        return value;
      } catch (error) {
        if (error instanceof ApiError && error.status === 412)
          theirs.value = await read().catch(() => undefined);
        throw error;
      }
    },
    keepMine() {
      if (base.value) base.value = { ...base.value, etag: theirs.value?.etag };
      theirs.value = undefined;
    },
    async findTheirs() {
      const found = await read();
      if (found.etag !== base.value?.etag) theirs.value = found;
    },
    takeTheirs: () => show(theirs.value),
    reload,
  };
}

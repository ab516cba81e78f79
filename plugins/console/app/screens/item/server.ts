import { ApiError, callTagged } from '../../api.ts';
import { ChangedElsewhere, type ServedVariant, type VariantServer } from './item-form.ts';
import type { ManagedVariant } from './managed.ts';

/** Number of the error in the server's catalogue. */
const VARIANT_NOT_FOUND = 103;

/** The variant at a path of the management API. */
export function variantServer(path: string): VariantServer {
  return {
    async read(): Promise<ServedVariant> {
      try {
        const { value, etag } = await callTagged<ManagedVariant>('GET', path);
        return { variant: value, etag };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404 && error.code === VARIANT_NOT_FOUND)
          return { variant: null, etag: undefined };
        throw error;
      }
    },
    async write(elements, read): Promise<ServedVariant> {
      try {
        const condition = read === undefined ? { isNew: true } : { etag: read };
        const { value, etag } = await callTagged<ManagedVariant>('PUT', path, { elements }, condition);
        return { variant: value, etag };
      } catch (error) {
        throw error instanceof ApiError && error.status === 412 ? new ChangedElsewhere() : error;
      }
    },
  };
}

import { ServiceError } from '../../../core/errors.ts';
import type { Storage } from '../../../core/storage/ports.ts';

export const AWAY = new ServiceError('unavailable', 'The database does not answer.');

/** The storage as it is while the database is away: the next writes fail. */
export function failingWrites(storage: Storage, count: number): Storage {
  let left = count;
  const write: Storage['write'] = (...call) => {
    left -= 1;
    return left >= 0 ? Promise.reject(AWAY) : storage.write(...call);
  };
  return new Proxy(storage, {
    get(target, name) {
      const value: unknown = name === 'write' ? write : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

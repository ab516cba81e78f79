import { ServiceError } from '../errors.ts';
import type { Person } from './sessions.ts';

/** @throws forbidden */
export function requireOperator({ isOperator }: Person): void {
  if (!isOperator) throw new ServiceError('forbidden', 'Only operators of the installation may do this.');
}

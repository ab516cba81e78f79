/**
 * Who may use which surface. Refusals come in the order 401, 403, 404, so that a caller without a key does not learn
 * which projects exist (spec sections 5 and 7).
 */
import { type KeyKind, type Principal, ServiceError } from '../../core/contract.ts';
import type { ProjectFacet, SurfaceName } from '../contract.ts';
import { unauthorized } from '../http/bearer.ts';
import type { KnownKey } from './known-keys.ts';

export const ANONYMOUS: Principal = Object.freeze({ kind: 'anonymous' });
export const ADMIN: Principal = Object.freeze({ kind: 'admin' });

export interface Rule {
  /** Whether a request for the project needs a key at all. */
  needsKey(project: ProjectFacet): boolean;
  /** @throws ServiceError 401, 403, 404 */
  authorize(key: KnownKey | undefined, project: ProjectFacet, now: number): Principal;
}

/** Surfaces with keys of projects; all others need the admin token. */
export const RULES: Partial<Record<SurfaceName, Rule>> = {
  // With secure access off the header is ignored, whatever it holds.
  delivery: reading(
    ['delivery-primary', 'delivery-secondary'],
    (project) => project.facts?.secureAccess === true,
  ),
  preview: reading(['preview-primary', 'preview-secondary'], () => true),
  manage: { needsKey: () => true, authorize: authorizeManagement },
  assets: reading([], () => false),
};

function reading(kinds: readonly KeyKind[], needsKey: Rule['needsKey']): Rule {
  return {
    needsKey,
    authorize(key, project, now) {
      if (!needsKey(project)) {
        requireProject(project, 'noSuchResource');
        return ANONYMOUS;
      }
      if (key === undefined || !kinds.includes(key.facts.kind)) throw notValidHere();
      if (hasEnded(key, now)) throw unauthorized('The key is no longer valid.');
      requireOwnProject(key, project);
      requireProject(project, 'noSuchResource');
      return key.principal;
    },
  };
}

function authorizeManagement(key: KnownKey | undefined, project: ProjectFacet, now: number): Principal {
  if (key?.facts.kind !== 'management') throw notValidHere();
  if (hasEnded(key, now)) {
    throw new ServiceError(
      'keyRevoked',
      'The management key was revoked or has expired; generate a new one.',
    );
  }
  requireOwnProject(key, project);
  if (project.facts?.managementApi === false) {
    throw new ServiceError('forbidden', 'The management API of the project is not enabled.');
  }
  requireProject(project, 'unknownProject');
  return key.principal;
}

export function notValidHere(): ServiceError {
  return unauthorized('The key is not valid here.');
}

function hasEnded({ facts, expires }: KnownKey, now: number): boolean {
  return facts.revoked || expires <= now;
}

function requireOwnProject(key: KnownKey, project: ProjectFacet): void {
  if (project.id === null || key.facts.project === project.id) return;
  throw new ServiceError('forbidden', 'The key is for another project.');
}

function requireProject(project: ProjectFacet, name: 'noSuchResource' | 'unknownProject'): void {
  if (project.facts !== null) return;
  if (project.id === null) throw new ServiceError('noSuchResource', 'The path names no project.');
  throw new ServiceError(name, `There is no project with the id '${shortened(project.id)}'.`);
}

function shortened(id: string): string {
  return id.length <= 64 ? id : `${id.slice(0, 64)}…`;
}

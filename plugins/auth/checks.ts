/**
 * Who may pass which surface. Every check refuses in the order 401, 403, 404, so that without a key nobody
 * learns which projects exist (spec section 5 and 7).
 */
import { type KeyKind, type Principal, ServiceError } from '../../core/contract.ts';
import { bearerToken, requireAdminToken, unauthorized } from '../bearer.ts';
import type { Kit, ProjectFacet, SurfaceName } from '../contract.ts';
import type { KnownKey, KnownKeys } from './known-keys.ts';

const ANONYMOUS: Principal = Object.freeze({ kind: 'anonymous' });
const ADMIN: Principal = Object.freeze({ kind: 'admin' });

const DELIVERY_KEYS: ReadonlySet<KeyKind> = new Set(['delivery-primary', 'delivery-secondary']);
const PREVIEW_KEYS: ReadonlySet<KeyKind> = new Set(['preview-primary', 'preview-secondary']);
const MANAGEMENT_KEYS: ReadonlySet<KeyKind> = new Set(['management']);

/** @param header the `Authorization` header */
export type Check = (header: string | undefined, project: ProjectFacet) => Promise<Principal>;

export function makeChecks(
  keys: KnownKeys,
  kit: Pick<Kit, 'core' | 'clock'>,
): Partial<Record<SurfaceName, Check>> {
  async function keyOf(header: string | undefined, kinds: ReadonlySet<KeyKind>): Promise<KnownKey> {
    const token = bearerToken(header);
    if (token === undefined) {
      throw unauthorized("The request needs the header 'Authorization: Bearer <key>'.");
    }
    const key = await keys.find(token);
    if (key === undefined || !kinds.has(key.facts.kind)) throw unauthorized('The key is not valid here.');
    return key;
  }

  const isOver = (key: KnownKey) => key.facts.revoked || key.expires <= kit.clock.now().getTime();

  async function readKey(header: string | undefined, project: ProjectFacet, kinds: ReadonlySet<KeyKind>) {
    const key = await keyOf(header, kinds);
    if (isOver(key)) throw unauthorized('The key is no longer valid.');
    requireOwnProject(key, project);
    requireProject(project, 'noSuchResource');
    return key.principal;
  }

  return {
    async delivery(header, project) {
      // With secure access off the header is ignored, whatever it holds.
      if (project.facts?.secureAccess) return readKey(header, project, DELIVERY_KEYS);
      requireProject(project, 'noSuchResource');
      return ANONYMOUS;
    },
    preview: (header, project) => readKey(header, project, PREVIEW_KEYS),
    async manage(header, project) {
      const key = await keyOf(header, MANAGEMENT_KEYS);
      if (isOver(key)) {
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
    },
    async assets(_header, project) {
      requireProject(project, 'noSuchResource');
      return ANONYMOUS;
    },
    async admin(header) {
      requireAdminToken(header, kit.core.access);
      return ADMIN;
    },
  };
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

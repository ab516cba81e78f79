export interface ObservedJob {
  readonly kind: string;
  /** Id of the project. */
  readonly project: string | null;
  /** Who started it. */
  readonly actor: string | null;
}

/** Codenames of the type of an item that exists, and of the language of a variant. */
export interface EventContent {
  readonly type: string | null;
  readonly language: string | null;
}

/** What a session may see of the events. */
export interface EventRights {
  /** The same for sessions that see the same. */
  readonly key: string;
  seesChange(change: {
    readonly project: string | null;
    readonly kind: string;
    readonly content?: EventContent | null;
  }): boolean;
  /** A variant that somebody has open. */
  seesVariant(variant: { readonly project: string; readonly content?: EventContent }): boolean;
  /** All content of the project; tags name content of any type. */
  seesAll(project: string): boolean;
  /** Jobs of others. */
  seesJob(job: ObservedJob): boolean;
}

/** Content by codenames; null = all of them. */
interface Scope {
  readonly types: readonly string[] | null;
  readonly languages: readonly string[] | null;
}

/** As `GET /console/api/session` has it. */
export interface SessionBody {
  readonly person: { readonly id: string; readonly is_operator: boolean };
  readonly projects: readonly {
    readonly id: string;
    readonly permissions: readonly string[];
    readonly limits: { readonly 'view-content'?: readonly Scope[] };
  }[];
  /** Seconds. */
  readonly ends_in: number;
}

/** Kinds that only those see who may change them; everything else of a project is content, or what it is made of. */
const NEEDED: Readonly<Record<string, string>> = { key: 'manage-apis', webhook: 'manage-apis' };
const CONTENT: ReadonlySet<string> = new Set(['content_item', 'content_item_variant']);

export function eventRights({ person: { is_operator: isOperator }, projects }: SessionBody): EventRights {
  const rights = projects.map(
    ({ id, permissions, limits }) => [id, permissions, limits['view-content']] as const,
  );
  const permissions = new Map(rights.map(([id, permitted]) => [id, permitted]));
  const scopes = new Map(rights.flatMap(([id, , limited]) => (limited ? [[id, limited]] : [])));
  const has = (project: string, permission: string) =>
    isOperator || permissions.get(project)?.includes(permission) === true;
  const seesAll = (project: string) => has(project, 'view-content') && (isOperator || !scopes.has(project));
  const seesContent = (project: string, content: EventContent | null | undefined) =>
    seesAll(project) ||
    (has(project, 'view-content') && scopes.get(project)?.some((scope) => includes(scope, content)) === true);
  return {
    key: isOperator ? 'operator' : JSON.stringify(rights),
    seesChange({ project, kind, content }) {
      if (project === null) return isOperator;
      return CONTENT.has(kind) ? seesContent(project, content) : has(project, NEEDED[kind] ?? 'view-content');
    },
    seesVariant: ({ project, content }) => seesContent(project, content),
    seesAll,
    // After a change of the model.
    seesJob: ({ kind, project }) =>
      isOperator || (kind === 'recompile' && project !== null && has(project, 'view-content')),
  };
}

/** An item is seen by those who may see some language of it. */
function includes({ types, languages }: Scope, content: EventContent | null | undefined): boolean {
  if (content?.type == null) return false;
  if (types !== null && !types.includes(content.type)) return false;
  if (languages === null) return true;
  return content.language === null ? languages.length > 0 : languages.includes(content.language);
}

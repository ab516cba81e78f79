export interface ObservedJob {
  readonly kind: string;
  /** Id of the project. */
  readonly project: string | null;
  /** Who started it. */
  readonly actor: string | null;
}

/** What a session may see of the events. */
export interface EventRights {
  /** The same for sessions that see the same. */
  readonly key: string;
  seesChange(change: { readonly project: string | null; readonly kind: string }): boolean;
  seesProject(project: string): boolean;
  /** Jobs of others. */
  seesJob(job: ObservedJob): boolean;
}

/** As `GET /console/api/session` has it. */
export interface SessionBody {
  readonly person: { readonly id: string; readonly is_operator: boolean };
  readonly projects: readonly { readonly id: string; readonly permissions: readonly string[] }[];
  /** Seconds. */
  readonly ends_in: number;
}

/** Kinds that only those see who may change them; everything else of a project is content, or what it is made of. */
const NEEDED: Readonly<Record<string, string>> = { key: 'manage-apis', webhook: 'manage-apis' };

export function eventRights({ person: { is_operator: isOperator }, projects }: SessionBody): EventRights {
  const rights = projects.map(({ id, permissions }) => [id, permissions] as const);
  const permissions = new Map(rights);
  const has = (project: string, permission: string) =>
    isOperator || permissions.get(project)?.includes(permission) === true;
  return {
    key: isOperator ? 'operator' : JSON.stringify(rights),
    seesChange: ({ project, kind }) =>
      project === null ? isOperator : has(project, NEEDED[kind] ?? 'view-content'),
    seesProject: (project) => has(project, 'view-content'),
    // After a change of the model.
    seesJob: ({ kind, project }) =>
      isOperator || (kind === 'recompile' && project !== null && has(project, 'view-content')),
  };
}

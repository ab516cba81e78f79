import type { Messages } from '../messages/en.ts';

export interface ScreenLink {
  readonly path: string;
  readonly text: string;
}

/** What of a session decides which screens are offered. */
export interface Rights {
  readonly person: { readonly is_operator: boolean };
  readonly projects: readonly { readonly id: string; readonly permissions: readonly string[] }[];
}

/** Screens of the content model with what they need; each links to the others. */
const MODEL_PARTS = [
  ['types', 'manage-types'],
  ['taxonomies', 'manage-taxonomies'],
  ['sitemap', 'manage-sitemap'],
  ['languages', 'manage-languages'],
] as const;

/** The screens that a person may use, those of the project first. */
export function screensOf(
  { person, projects }: Rights,
  project: string | undefined,
  { shell, home, transfer, jobs, gateways, live }: Messages,
): ScreenLink[] {
  const permissions = projects.find(({ id }) => id === project)?.permissions ?? [];
  const of = (name: string) => `/projects/${project}/${name}`;
  const links: ScreenLink[] = [];
  if (project !== undefined)
    links.push(
      { path: of('home'), text: home.title },
      { path: of('content'), text: shell.content },
      { path: of('assets'), text: shell.assets },
      { path: of('calendar'), text: shell.calendar },
    );
  const part = MODEL_PARTS.find(([, permission]) => permissions.includes(permission));
  if (part) links.push({ path: of(part[0]), text: shell.model });
  if (permissions.includes('manage-apis'))
    links.push(
      { path: of('webhooks'), text: shell.webhooks },
      { path: of('keys'), text: shell.keys },
      { path: of('usage'), text: shell.usage },
    );
  if (permissions.includes('manage-project')) links.push({ path: of('export'), text: transfer.export });
  if (person.is_operator)
    links.push(
      { path: '/projects', text: shell.projects },
      { path: '/people', text: shell.people },
      { path: '/roles', text: shell.roles },
      { path: '/installation', text: shell.installation },
      { path: '/gateways', text: gateways.title },
      { path: '/requests', text: live.title },
      { path: '/jobs', text: jobs.title },
      { path: '/audit', text: shell.audit },
    );
  return links;
}

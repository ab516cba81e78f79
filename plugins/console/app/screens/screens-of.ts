import type { Messages } from '../messages/en.ts';

export interface ScreenLink {
  readonly path: string;
  readonly text: string;
  /** Further parts of the project that the screen leads to. */
  readonly parts?: readonly string[];
  /** Of the installation, not of a project. */
  readonly isOfAll?: true;
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

const MODEL_SCREENS = [...MODEL_PARTS.map(([name]) => name), 'snippets'];

/** Whether the screen is shown, or one that it leads to. */
export function isAt({ path: to, parts = [] }: ScreenLink, path: string): boolean {
  const partOf = (one: string) => one.split('/')[3] ?? '';
  const part = partOf(path);
  return path === to || (part !== '' && [partOf(to), ...parts].includes(part));
}

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
      { path: of('content'), text: shell.content, parts: ['items', 'history'] },
      { path: of('assets'), text: shell.assets },
      { path: of('calendar'), text: shell.calendar },
    );
  const part = MODEL_PARTS.find(([, permission]) => permissions.includes(permission));
  if (part) links.push({ path: of(part[0]), text: shell.model, parts: MODEL_SCREENS });
  if (permissions.includes('manage-apis'))
    links.push(
      { path: of('webhooks'), text: shell.webhooks },
      { path: of('keys'), text: shell.keys },
      { path: of('usage'), text: shell.usage },
    );
  if (permissions.includes('manage-project')) links.push({ path: of('export'), text: transfer.export });
  if (!person.is_operator) return links;
  const operated = [
    { path: '/projects', text: shell.projects },
    { path: '/people', text: shell.people },
    { path: '/roles', text: shell.roles },
    { path: '/installation', text: shell.installation },
    { path: '/gateways', text: gateways.title },
    { path: '/requests', text: live.title },
    { path: '/jobs', text: jobs.title },
    { path: '/audit', text: shell.audit },
  ];
  return [...links, ...operated.map((link) => ({ ...link, isOfAll: true as const }))];
}

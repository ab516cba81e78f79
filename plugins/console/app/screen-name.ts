/** The screen at each path, by the name of its file. */

const OF_PROJECT = {
  home: 'home',
  export: 'export',
  content: 'content-list',
  calendar: 'calendar',
  keys: 'keys',
  usage: 'usage',
  types: 'model-screen',
  snippets: 'model-screen',
  taxonomies: 'model-screen',
  sitemap: 'model-screen',
  languages: 'model-screen',
} as const;

/** With an object in the path, and without. */
const OF_OBJECT = {
  items: ['item-editor', undefined],
  webhooks: ['webhook-log', 'webhooks'],
  assets: ['asset-detail', 'assets'],
} as const;

/** Behind an object. */
const BESIDE_OBJECT = {
  history: 'history-screen',
} as const;

const OF_INSTALLATION = {
  projects: 'projects',
  people: 'people',
  roles: 'roles',
  installation: 'installation',
  gateways: 'gateways',
  requests: 'live-requests',
  jobs: 'jobs',
  audit: 'audit',
  sessions: 'own-sessions',
} as const;

export type ScreenName =
  | (typeof OF_PROJECT)[keyof typeof OF_PROJECT]
  | (typeof BESIDE_OBJECT)[keyof typeof BESIDE_OBJECT]
  | NonNullable<(typeof OF_OBJECT)[keyof typeof OF_OBJECT][number]>
  | (typeof OF_INSTALLATION)[keyof typeof OF_INSTALLATION];

export interface ScreenPath {
  readonly name: ScreenName;
  readonly project: string;
  /** What of the project. */
  readonly part: string;
  /** Id of the item, the webhook, the asset or the part of the model. */
  readonly object: string;
}

/** @param path below that of the console; undefined: there is no screen */
export function screenAt(path: string): ScreenPath | undefined {
  const [, section = '', project = '', part = '', object = '', subpart = ''] = path.split('/');
  const name =
    section !== 'projects' || project === ''
      ? own(OF_INSTALLATION, section)
      : ((part === 'items' ? own(BESIDE_OBJECT, subpart) : undefined) ??
        own(OF_PROJECT, part) ??
        own(OF_OBJECT, part)?.[object === '' ? 1 : 0]);
  return name && { name, project, part, object };
}

/** Without what every object inherits. */
function own<T extends object>(table: T, name: string): T[keyof T] | undefined {
  return Object.hasOwn(table, name) ? table[name as keyof T] : undefined;
}

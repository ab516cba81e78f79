/** Requests of the public APIs as text: for a shell, for scripts, for published clients. */

export type ApiName = 'delivery' | 'preview' | 'manage' | 'admin';

/** A GET of one of the APIs. */
export interface ApiCall {
  readonly api: ApiName;
  /** Below the project, or where there is none the API, with its query: `/items/a?language=en`. */
  readonly path: string;
  /** The same with a published client, behind `client`; absent: the client has no such call. */
  readonly client?: string;
}

/** Base URLs of the APIs, as readers of the service know them. */
export type ApiBases = Readonly<Record<ApiName | 'docs', string>>;

const PROJECTS: Readonly<Record<ApiName, string>> = {
  delivery: '',
  preview: '',
  manage: '/v2/projects',
  admin: '/projects',
};

/** What each API needs in `Authorization`. */
const KEYS: Readonly<Record<ApiName, string | undefined>> = {
  delivery: undefined,
  preview: '<preview key>',
  manage: '<management key>',
  admin: '<admin token>',
};

export function urlOf({ api, path }: ApiCall, bases: ApiBases, project: string | undefined): string {
  return `${bases[api]}${project === undefined ? '' : `${PROJECTS[api]}/${project}`}${path}`;
}

/** Path of the same call through the console, for the person who is signed in. */
export function consolePathOf({ api, path }: ApiCall, project: string | undefined): string {
  if (project === undefined) return `${api}${path}`;
  return `${api}${api === 'manage' || api === 'admin' ? '/projects' : ''}/${project}${path}`;
}

export function curlOf(call: ApiCall, bases: ApiBases, project: string | undefined): string {
  const key = KEYS[call.api];
  const header = key === undefined ? '' : ` \\\n  -H ${shellQuoted(`Authorization: Bearer ${key}`)}`;
  return `curl ${shellQuoted(urlOf(call, bases, project))}${header}`;
}

export function fetchOf(call: ApiCall, bases: ApiBases, project: string | undefined): string {
  const key = KEYS[call.api];
  const options =
    key === undefined ? '' : `, {\n  headers: { authorization: ${JSON.stringify(`Bearer ${key}`)} },\n}`;
  return `const response = await fetch(${JSON.stringify(urlOf(call, bases, project))}${options});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
const body = await response.json();`;
}

export function clientOf(
  { api, client }: ApiCall,
  bases: ApiBases,
  project: string | undefined,
): string | undefined {
  if (client === undefined || project === undefined) return undefined;
  if (api === 'manage')
    return `${imported('ManagementClient', '@kentico/kontent-management')}

const client = new ManagementClient({
  projectId: ${JSON.stringify(project)},
  apiKey: '<management key>',
  baseUrl: ${JSON.stringify(bases.manage + PROJECTS.manage)},
});
const response = await client${client}.toPromise();`;
  const preview =
    api === 'preview'
      ? `\n  previewApiKey: '<preview key>',\n  globalQueryConfig: { usePreviewMode: true },`
      : '';
  const names = client.includes('SortOrder.') ? 'DeliveryClient, SortOrder' : 'DeliveryClient';
  return `${imported(names, 'kentico-cloud-delivery')}

const client = new DeliveryClient({
  projectId: ${JSON.stringify(project)},
  proxy: {
    baseUrl: ${JSON.stringify(bases.delivery)},
    basePreviewUrl: ${JSON.stringify(bases.preview)},
  },${preview}
});
const response = await client${client}.toPromise();`;
}

function imported(names: string, of: string): string {
  return ['import', `{ ${names} }`, 'from', `'${of}';`].join(' ');
}

/** In single quotes, for POSIX shells. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

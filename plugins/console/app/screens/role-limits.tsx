import { useQueries } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { Checks } from '../parts/checks.tsx';
import type { ContentScope } from '../session.ts';
import type { Role } from './people-data.ts';

/** Permissions that can be limited to content types and languages. */
const LIMITABLE = ['view-content', 'create-content', 'edit-content', 'delete-content', 'publish'] as const;
/** Projects whose types and languages are offered, and pages of types of each. */
const PROJECTS = 10;
const PAGES = 5;

interface Named {
  readonly codename: string;
  readonly name: string;
}

interface RoleLimitsProps {
  readonly limits: Role['limits'];
  readonly projects: readonly { readonly id: string }[];
}

/** For each permission about content: only some types, only some languages. */
export function RoleLimits({ limits, projects }: RoleLimitsProps) {
  const { roles } = messages();
  const texts: Readonly<Record<string, string>> = roles.permission;
  const models = useQueries({
    queries: projects.slice(0, PROJECTS).map(({ id }) => ({
      queryKey: [id, 'limits'],
      queryFn: async () => ({
        types: await allTypes(id),
        languages: (await get<{ readonly languages: readonly Named[] }>(`manage/projects/${id}/languages`))
          .languages,
      }),
    })),
  });
  const used = (part: keyof ContentScope) =>
    Object.values(limits).flatMap((limit) =>
      (limit?.[part] ?? []).map((codename) => ({ codename, name: codename })),
    );
  const options = (part: keyof ContentScope) => {
    const known = [...models.flatMap(({ data }) => data?.[part] ?? []), ...used(part)];
    return [...new Map(known.map(({ codename, name }) => [codename, name] as const).reverse())]
      .sort(([, one], [, other]) => one.localeCompare(other))
      .map(([value, text]) => ({ value, text }));
  };
  return (
    <details>
      <summary>{roles.limits}</summary>
      <p class="hint">{roles.limitsHint}</p>
      {LIMITABLE.map((permission) => (
        <details key={permission} open={limits[permission] !== undefined}>
          <summary>{roles.limitOf(texts[permission] ?? permission)}</summary>
          {(['languages', 'types'] as const).map((part) => (
            <Checks
              key={part}
              legend={roles[part](texts[permission] ?? permission)}
              name={`${permission}.${part}`}
              options={options(part)}
              checked={limits[permission]?.[part] ?? []}
            />
          ))}
        </details>
      ))}
    </details>
  );
}

/** The limits of the permissions that a form has. */
export function limitsOf(form: FormData, permissions: readonly string[]): Role['limits'] {
  const given = LIMITABLE.filter((permission) => permissions.includes(permission)).flatMap((permission) => {
    const of = (part: keyof ContentScope) => {
      const codenames = form.getAll(`${permission}.${part}`).map(String);
      return codenames.length === 0 ? null : codenames;
    };
    const limit = { types: of('types'), languages: of('languages') };
    return limit.types === null && limit.languages === null ? [] : [[permission, limit] as const];
  });
  return Object.fromEntries(given);
}

/** `Edit content (de; Article)` */
export function limitText({ types, languages }: ContentScope): string {
  return [languages, types].flatMap((part) => (part === null ? [] : [part.join(', ')])).join('; ');
}

async function allTypes(project: string): Promise<readonly Named[]> {
  const types: Named[] = [];
  let token = '';
  for (let page = 0; page < PAGES; page += 1) {
    const at = token === '' ? '' : `?continuationToken=${encodeURIComponent(token)}`;
    const read = await get<{
      readonly types: readonly Named[];
      readonly pagination: { readonly continuation_token: string | null };
    }>(`manage/projects/${project}/types${at}`);
    types.push(...read.types);
    token = read.pagination.continuation_token ?? '';
    if (token === '') break;
  }
  return types;
}

import { useQuery } from '@tanstack/preact-query';
import { Link, useLocation } from 'wouter-preact';
import { get } from '../../api.ts';
import { polled } from '../../events.ts';
import { modelTexts } from '../../messages/model.ts';
import { Progress } from '../../parts/progress.tsx';
import { useSession } from '../../session.ts';
import '../../style/model.css';

const PARTS = [
  ['types', 'manage-types'],
  ['snippets', 'manage-types'],
  ['taxonomies', 'manage-taxonomies'],
  ['sitemap', 'manage-sitemap'],
  ['languages', 'manage-languages'],
] as const;

/** Links to the parts of the model that a person may change, and how far the last change is compiled. */
export function ModelNav({ project }: { readonly project: string }) {
  const t = modelTexts();
  const [path] = useLocation();
  const session = useSession();
  const permissions = session.data?.projects.find(({ id }) => id === project)?.permissions ?? [];
  return (
    <>
      <nav class="model-nav" aria-label={t.parts}>
        {PARTS.filter(([, permission]) => permissions.includes(permission)).map(([part]) => {
          const to = `/projects/${project}/${part}`;
          return (
            <Link key={part} href={to} aria-current={path.startsWith(to) ? 'page' : undefined}>
              {t[part]}
            </Link>
          );
        })}
      </nav>
      <Recompilation project={project} />
    </>
  );
}

interface Recompiled {
  readonly jobs: readonly { readonly id: string; readonly done: number; readonly total: number | null }[];
}

const NEXT_LOOK = polled(1000, ['job', 'content_type', 'snippet', 'taxonomy', 'sitemap', 'language']);

function Recompilation({ project }: { readonly project: string }) {
  const { data } = useQuery({
    queryKey: [project, 'recompilation'],
    queryFn: () => get<Recompiled>(`admin/projects/${project}/recompilation`),
    meta: NEXT_LOOK.meta,
    refetchInterval: ({ state }) =>
      state.data && state.data.jobs.length > 0 ? NEXT_LOOK.refetchInterval() : false,
  });
  return (
    <>
      {data?.jobs.map(({ id, done, total }) => (
        <p key={id}>
          {modelTexts().recompiling}: <Progress label={modelTexts().recompiling} done={done} total={total} />
        </p>
      ))}
    </>
  );
}

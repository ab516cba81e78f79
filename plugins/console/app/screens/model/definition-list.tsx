import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { namedLike } from '../../list/by-name.ts';
import { formatTime } from '../../messages/messages.ts';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Field } from '../../parts/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { listingCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { actOnShown } from '../../parts/use-tagged.ts';
import { useContentModel } from '../item/content-model.ts';
import { ImpactDialog } from './impact-dialog.tsx';
import { ModelNav } from './model-nav.tsx';

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly last_modified?: string;
  readonly elements: readonly unknown[];
}

/** So many that one of them is searched for. */
const MANY = 12;

/** The content types, or the snippets, of a project. */
export function DefinitionList({
  project,
  kind,
}: {
  readonly project: string;
  readonly kind: 'types' | 'snippets';
}) {
  const t = modelTexts();
  const model = useContentModel(project);
  const queries = useQueryClient();
  const deleted = useSignal<Listed | undefined>(undefined);
  const searched = useSignal('');
  /** Stays so where one of them is deleted: the field may have the focus, or a text. */
  const isSearchable = useRef(false);
  if ((model.data?.[kind].size ?? 0) > MANY) isSearchable.current = true;
  const base = `/projects/${project}/${kind}`;
  return (
    <>
      <ModelNav project={project} />
      <PageHeading>{t[kind]}</PageHeading>
      <div class="bar">
        <Link class="button primary" href={`${base}/new`}>
          {kind === 'types' ? t.addType : t.addSnippet}
        </Link>
        <ApiCallButton project={project} calls={() => listingCalls(kind)} />
      </div>
      <Loaded query={model}>
        {(data) => (
          <>
            {isSearchable.current && (
              <Field
                label={t.search}
                type="search"
                value={searched.value}
                onInput={({ currentTarget }) => (searched.value = currentTarget.value)}
              />
            )}
            <DataTable
              columns={[t.name, t.codename, t.elements, t.changed, t.acts]}
              empty={data[kind].size > 0 ? t.noneFound : t.none}
              rows={namedLike([...data[kind].values()] as readonly Listed[], searched.value).map((one) => ({
                key: one.id,
                cells: [
                  <Link key="name" href={`${base}/${one.id}`}>
                    {one.name}
                  </Link>,
                  <code key="codename">{one.codename}</code>,
                  one.elements.length,
                  one.last_modified === undefined ? '' : formatTime(one.last_modified),
                  <button
                    key="delete"
                    type="button"
                    aria-label={t.deleteOf(one.name)}
                    onClick={() => {
                      deleted.value = one;
                    }}
                  >
                    {t.delete} …
                  </button>,
                ],
              }))}
            />
          </>
        )}
      </Loaded>
      {deleted.value && (
        <ImpactDialog
          title={t.impact.deleteTitle(deleted.value.name)}
          changes={[]}
          path={`admin/projects/${project}/${kind}/${deleted.value.id}/impact`}
          body={{ remove: true }}
          confirm={t.delete}
          onConfirm={async () => {
            const one = deleted.value;
            if (!one) return;
            const path = `manage/projects/${project}/${kind}/${one.id}`;
            await actOnShown<Listed, void>(path, one, ['last_modified'], ['DELETE', path]);
            announce(t.deleted(one.name));
            deleted.value = undefined;
            await queries.invalidateQueries({ queryKey: [project] });
          }}
          onClose={() => {
            deleted.value = undefined;
          }}
        />
      )}
    </>
  );
}

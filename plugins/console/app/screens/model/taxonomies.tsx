import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import { Link, useLocation } from 'wouter-preact';
import { call } from '../../api.ts';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Dialog, FormActions } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { listingCalls } from '../../parts/object-calls.ts';
import { PageHeading } from '../../parts/page-heading.tsx';
import { UnsavedForm, useUnsaved } from '../../parts/unsaved-form.tsx';
import { useAct } from '../../parts/use-act.ts';
import { actOnShown } from '../../parts/use-tagged.ts';
import { useContentModel } from '../item/content-model.ts';
import { codenameOf, newId } from './definition.ts';
import { ImpactDialog } from './impact-dialog.tsx';
import { ModelNav } from './model-nav.tsx';
import { Names } from './names.tsx';
import type { Term } from './tree.ts';

/** The taxonomy groups of a project. */
export function Taxonomies({ project }: { readonly project: string }) {
  const t = modelTexts();
  const model = useContentModel(project);
  const queries = useQueryClient();
  const isAdding = useSignal(false);
  const deleted = useSignal<Term | undefined>(undefined);
  /** Deleted here, and can be restored. */
  const archived = useSignal<Term | undefined>(undefined);
  const { run, error } = useAct();
  const base = `/projects/${project}/taxonomies`;
  const refresh = () => queries.invalidateQueries({ queryKey: [project] });

  const restore = ({ id, name }: Term) =>
    run(async () => {
      await call('POST', `admin/projects/${project}/taxonomies/${id}/restore`);
      announce(t.restored(name));
      archived.value = undefined;
      await refresh();
    });

  return (
    <>
      <ModelNav project={project} />
      <PageHeading>{t.taxonomies}</PageHeading>
      <div class="bar">
        <button
          type="button"
          class="primary"
          onClick={() => {
            isAdding.value = true;
          }}
        >
          {t.addTaxonomy} …
        </button>
        <ApiCallButton project={project} calls={() => listingCalls('taxonomies')} />
      </div>
      <Failure error={error.value} />
      {archived.value && (
        <div class="bar">
          <p>{t.archived(archived.value.name)}</p>
          <button type="button" onClick={() => archived.value && void restore(archived.value)}>
            {t.restore}
          </button>
        </div>
      )}
      <Loaded query={model}>
        {(data) => (
          <DataTable
            columns={[t.name, t.codename, t.terms, t.acts]}
            empty={t.none}
            rows={[...data.taxonomies.values()].map((group) => ({
              key: group.id,
              cells: [
                <Link key="name" href={`${base}/${group.id}`}>
                  {group.name}
                </Link>,
                <code key="codename">{group.codename}</code>,
                countOf(group.terms),
                <button
                  key="delete"
                  type="button"
                  aria-label={t.deleteOf(group.name)}
                  onClick={() => {
                    deleted.value = group;
                  }}
                >
                  {t.delete} …
                </button>,
              ],
            }))}
          />
        )}
      </Loaded>
      {isAdding.value && (
        <AddTaxonomy
          project={project}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
      {deleted.value && (
        <ImpactDialog
          title={t.impact.deleteTitle(deleted.value.name)}
          changes={[]}
          path={`admin/projects/${project}/taxonomies/${deleted.value.id}/impact`}
          body={{ remove: true }}
          confirm={t.delete}
          onConfirm={async () => {
            const group = deleted.value;
            if (!group) return;
            const path = `manage/projects/${project}/taxonomies/${group.id}`;
            await actOnShown<Term, void>(path, group, ['name', 'codename'], ['DELETE', path]);
            announce(t.deleted(group.name));
            archived.value = group;
            deleted.value = undefined;
            await refresh();
          }}
          onClose={() => {
            deleted.value = undefined;
          }}
        />
      )}
    </>
  );
}

function AddTaxonomy({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const t = modelTexts();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const unsaved = useUnsaved('taxonomy', project);
  const group = useSignal({ id: newId(), name: '', codename: codenameOf('', []) });
  const { run, error } = useAct();
  const add = () =>
    run(async () => {
      const { name, codename } = group.value;
      const { id } = await call<Term>('POST', `manage/projects/${project}/taxonomies`, {
        name,
        codename,
        terms: [],
      });
      void unsaved.clear();
      await queries.invalidateQueries({ queryKey: [project] });
      navigate(`/projects/${project}/taxonomies/${id}`);
    });
  return (
    <Dialog title={t.addTaxonomy} onClose={onClose} isForm>
      <UnsavedForm
        unsaved={unsaved}
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Names
          value={group.value}
          taken={[]}
          onChange={(changed) => {
            group.value = changed;
          }}
        />
        <Failure error={error.value} />
        <FormActions submit={t.save} />
      </UnsavedForm>
    </Dialog>
  );
}

function countOf(terms: Term['terms']): number {
  return terms.reduce((count, term) => count + 1 + countOf(term.terms), 0);
}

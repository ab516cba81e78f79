import { useSignal } from '@preact/signals';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { call, get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { useAddressState } from '../parts/address-state.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { useQuestion } from '../parts/question.tsx';
import { UnsavedForm, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { actOnShown } from '../parts/use-tagged.ts';
import { SESSION } from '../session.ts';
import { CloneDialog } from './clone-dialog.tsx';
import { ImportDialog } from './import-dialog.tsx';

interface Project {
  readonly id: string;
  readonly name: string;
  readonly created: string;
  readonly archived: string | null;
}

/** All projects: make, import, copy, archive, restore. */
export function Projects() {
  const { projects, transfer, acts } = messages();
  const state = useAddressState<'import'>();
  const cloned = useSignal<Project | undefined>(undefined);
  const queries = useQueryClient();
  const listed = useQuery({
    queryKey: ['projects'],
    meta: { follows: ['project'] },
    queryFn: () => get<{ readonly projects: readonly Project[] }>('admin/projects'),
  });
  const { run, error, isBusy } = useAct();
  const unsaved = useUnsaved('project');
  const { ask, dialog } = useQuestion();
  const reload = () => {
    void listed.refetch();
    void queries.invalidateQueries({ queryKey: SESSION });
  };
  const changed = (text: string) => {
    announce(text);
    reload();
  };

  const create = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const name = String(new FormData(form).get('name'));
    return run(async () => {
      await call('POST', 'admin/projects', { name });
      form.reset();
      changed(projects.created(name));
    });
  };
  const archive = ({ id, name }: Project) => {
    const path = `admin/projects/${id}`;
    ask({
      title: projects.archiveOf(name),
      plan: projects.archivePlan,
      act: projects.archive,
      run: () => actOnShown(path, { name }, ['name'], ['DELETE', path]),
      done: () => changed(projects.wasArchived(name)),
    });
  };
  // An archived project has no ETag.
  const restore = ({ id, name }: Project) =>
    run(async () => {
      await call('PUT', `admin/projects/${id}/restore`);
      changed(projects.restored(name));
    });

  return (
    <>
      <PageHeading>{projects.title}</PageHeading>
      <UnsavedForm unsaved={unsaved} class="filters" onSubmit={(event) => void create(event)}>
        <Field label={projects.newName} name="name" required readOnly={isBusy.value} />
        <button type="submit" class="primary" disabled={isBusy.value}>
          {projects.create}
        </button>
        <button type="button" onClick={() => state.set({ import: 'true' })}>
          {transfer.import}
        </button>
      </UnsavedForm>
      <div class="bar">
        <ApiCallButton calls={() => [{ api: 'admin', path: '/projects' }]} />
      </div>
      <Failure error={error.value} />
      <Loaded query={listed}>
        {(data) => (
          <DataTable
            columns={[projects.name, projects.state, acts]}
            empty={projects.none}
            rows={data.projects.map((project) => ({
              key: project.id,
              cells: [
                <div key="name">
                  {project.archived === null ? (
                    <Link href={`/projects/${project.id}/home`}>{project.name}</Link>
                  ) : (
                    project.name
                  )}
                  <br />
                  <code>{project.id}</code>
                </div>,
                <div key="state">
                  {project.archived === null ? projects.active : projects.archived}
                  <br />
                  <span class="muted">{projects.since(formatTime(project.created))}</span>
                </div>,
                <div key="acts" class="acts">
                  {project.archived === null && (
                    <button
                      type="button"
                      aria-label={transfer.cloneOf(project.name)}
                      onClick={() => {
                        cloned.value = project;
                      }}
                    >
                      {transfer.clone}
                    </button>
                  )}
                  <button
                    type="button"
                    aria-label={
                      project.archived === null
                        ? projects.archiveOf(project.name)
                        : projects.restoreOf(project.name)
                    }
                    onClick={() => (project.archived === null ? archive(project) : void restore(project))}
                  >
                    {project.archived === null ? `${projects.archive} …` : projects.restore}
                  </button>
                </div>,
              ],
            }))}
          />
        )}
      </Loaded>
      {dialog}
      {state.get('import') !== '' && (
        <ImportDialog onClose={() => state.set({ import: '' }, true)} onDone={() => reload()} />
      )}
      {cloned.value !== undefined && (
        <CloneDialog
          project={cloned.value}
          onClose={() => {
            cloned.value = undefined;
          }}
          onDone={() => reload()}
        />
      )}
    </>
  );
}

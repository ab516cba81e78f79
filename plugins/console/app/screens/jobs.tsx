import { useInfiniteQuery } from '@tanstack/preact-query';
import type { ActName } from '../acts/act-data.ts';
import { call, get, query } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { useAddressState } from '../parts/address-state.ts';
import { announce } from '../parts/announce.tsx';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { MoreButton } from '../parts/more-button.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { Progress } from '../parts/progress.tsx';
import { MarkedWords, ServerText } from '../parts/server-text.tsx';
import { useAct } from '../parts/use-act.ts';
import { serverWords } from '../server-words/server-words.ts';
import type { Words } from '../server-words/translate.ts';
import { useSession } from '../session.ts';

interface Job {
  readonly id: string;
  readonly kind: string;
  readonly project: string | null;
  readonly subject: string;
  readonly state: keyof ReturnType<typeof messages>['transfer']['states'];
  readonly done: number;
  readonly total: number | null;
  readonly error: string | null;
  readonly due: string | null;
  readonly updated: string;
}

interface Page {
  readonly jobs: readonly Job[];
  readonly pagination: { readonly next: string | null };
}

/** Names that people gave are shown as they are. */
function subjectOf({ kind, subject }: Job): readonly Words[] {
  const { acts } = messages().bulk;
  if (kind === 'clone' || (kind === 'scheduled-publish' && !/^\d+ variants$/.test(subject)))
    return [{ text: subject }];
  // By its first word: a sentence 'type {}' would also be found in names.
  const [, target, number] = (kind === 'recompile' && /^(\w+)( \d+)$/.exec(subject)) || [];
  if (target && number) return [...serverWords(target), { text: number }];
  return serverWords(subject.replace(/^\w+(?=: )/, (act) => acts[act as ActName] ?? act));
}

/** Several jobs of one kind need names of their own. */
const nameOfJob = (job: Job): string =>
  `${messages().jobs.kinds[job.kind] ?? job.kind}: ${subjectOf(job)
    .map(({ text }) => text)
    .join('')}`;

const FILTERS = ['project', 'kind', 'state'] as const;

/** Long work: what runs, what waits, what ended and how. The address has the filters. */
export function Jobs() {
  const { jobs, installation, transfer } = messages();
  const state = useAddressState<(typeof FILTERS)[number]>();
  const session = useSession();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, state.get(name)])) as Readonly<
    Record<(typeof FILTERS)[number], string>
  >;
  const listed = useInfiniteQuery({
    queryKey: ['jobs', filters],
    queryFn: ({ pageParam }) => get<Page>(`admin/jobs${query({ ...filters, after: pageParam })}`),
    initialPageParam: '',
    getNextPageParam: (last) => last.pagination.next ?? undefined,
    meta: { follows: ['job'] },
  });
  const { run, error, isBusy } = useAct();
  const cancel = (id: string) =>
    run(async () => {
      await call('DELETE', `admin/jobs/${id}`);
      announce(installation.canceled);
      void listed.refetch();
    });
  const projects = session.data?.projects ?? [];
  const nameOf = (id: string | null) =>
    id === null ? '–' : (projects.find((one) => one.id === id)?.name ?? id);
  const any = { value: '', text: jobs.any };

  return (
    <>
      <PageHeading>{jobs.title}</PageHeading>
      <search class="filters">
        <Choice
          label={jobs.kind}
          value={filters.kind}
          options={[any, ...Object.entries(jobs.kinds).map(([value, text]) => ({ value, text }))]}
          onChange={(value) => state.set({ kind: value })}
        />
        <Choice
          label={installation.state}
          value={filters.state}
          options={[any, ...Object.entries(transfer.states).map(([value, text]) => ({ value, text }))]}
          onChange={(value) => state.set({ state: value })}
        />
        <Choice
          label={jobs.project}
          value={filters.project}
          options={[any, ...projects.map(({ id, name }) => ({ value: id, text: name }))]}
          onChange={(value) => state.set({ project: value })}
        />
        <ApiCallButton calls={() => [{ api: 'admin', path: `/jobs${query(filters)}` }]} />
      </search>
      <Failure error={error.value} />
      <Loaded query={listed}>
        {({ pages }) => (
          <DataTable
            columns={[
              jobs.kind,
              jobs.project,
              jobs.subject,
              installation.state,
              installation.progress,
              installation.updated,
              installation.cancel,
            ]}
            empty={installation.none}
            rows={pages
              .flatMap((page) => page.jobs)
              .map((job) => ({
                key: job.id,
                cells: [
                  jobs.kinds[job.kind] ?? job.kind,
                  nameOf(job.project),
                  <MarkedWords key="subject" words={subjectOf(job)} />,
                  job.error === null ? (
                    transfer.states[job.state]
                  ) : (
                    <span key="state">
                      {transfer.states[job.state]}: <ServerText text={job.error} />
                    </span>
                  ),
                  <Progress key="progress" label={nameOfJob(job)} done={job.done} total={job.total} />,
                  formatTime(job.due ?? job.updated),
                  (job.state === 'waiting' || job.state === 'running') && (
                    <button
                      key="cancel"
                      type="button"
                      aria-label={jobs.cancelOf(jobs.kinds[job.kind] ?? job.kind)}
                      disabled={isBusy.value}
                      onClick={() => void cancel(job.id)}
                    >
                      {installation.cancel}
                    </button>
                  ),
                ],
              }))}
          />
        )}
      </Loaded>
      <MoreButton list={listed} />
    </>
  );
}

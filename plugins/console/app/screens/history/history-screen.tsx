import { useSignal } from '@preact/signals';
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { Link, useSearchParams } from 'wouter-preact';
import type { Tagged } from '../../api.ts';
import { DEFAULT_LANGUAGE } from '../../first-data.ts';
import { historyTexts } from '../../messages/history.ts';
import { formatTime, messages } from '../../messages/messages.ts';
import { announce } from '../../parts/announce.tsx';
import { ApiCallButton } from '../../parts/api-call-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Choice } from '../../parts/field.tsx';
import { itemPath } from '../../parts/item-path.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { MoreButton } from '../../parts/more-button.tsx';
import { PageHeading } from '../../parts/page-heading.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useContentModel } from '../item/content-model.ts';
import { Comparison } from './comparison.tsx';
import {
  discardRestored,
  type HistoryEntry,
  readHistory,
  readVersioned,
  restoreVersion,
  type User,
  type VersionedVariant,
  variantPath,
} from './history-data.ts';
import '../../style/history.css';

interface HistoryScreenProps {
  readonly project: string;
  readonly item: string;
}

/** What happened to a variant, its versions compared, and the way back to them. The address has the choices. */
export function HistoryScreen({ project, item }: HistoryScreenProps) {
  const [search] = useSearchParams();
  const language = search.get('language') ?? DEFAULT_LANGUAGE;
  const path = variantPath(project, item, language);
  const variant = useQuery({
    queryKey: [project, 'versions', path],
    queryFn: () => readVersioned(path),
    meta: { follows: ['content_item', 'content_item_variant'] },
  });
  return (
    <Loaded query={variant}>{(loaded) => <VariantHistory {...{ project, path }} variant={loaded} />}</Loaded>
  );
}

interface VariantHistoryProps {
  readonly project: string;
  readonly path: string;
  readonly variant: Tagged<VersionedVariant>;
}

function VariantHistory({ project, path, variant: { value: variant, etag } }: VariantHistoryProps) {
  const [search, setSearch] = useSearchParams();
  const queries = useQueryClient();
  const model = useContentModel(project);
  const { run, error, isBusy } = useAct();
  /** What the last restoration made, and the draft before it; null where there was none. */
  const restored = useSignal<{ readonly draft: number; readonly former: number | null } | undefined>(
    undefined,
  );
  const history = useInfiniteQuery({
    queryKey: [project, 'history', path],
    queryFn: ({ pageParam, signal }) => readHistory(path, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next ?? undefined,
    meta: { follows: ['content_item', 'content_item_variant'] },
  });
  const entries = history.data?.pages.flatMap((page) => page.history) ?? [];
  const versions = versionsOf(entries);
  const positions = new Map<HistoryEntry, number>(versions.map((entry, at) => [entry, at]));
  const mayRestore = variant.allowed.includes('edit') && !variant.is_archived;
  const numberIn = (name: string) => Number(search.get(name) ?? '') || undefined;
  const latest = variant.draft ?? variant.published ?? undefined;
  const newer = numberIn('to') ?? latest;
  const older =
    numberIn('from') ?? versions[versions.findIndex(({ version }) => version === newer) + 1]?.version;
  const choose = (from: number | undefined, to: number | undefined) =>
    setSearch({
      language: variant.language.id,
      ...(from !== undefined && { from: String(from) }),
      ...(to !== undefined && { to: String(to) }),
    });
  const nameOf = (number: number | undefined) => {
    const entry = versions.find(({ version }) => version === number);
    return entry ? describe(entry, variant) : `${number}`;
  };

  const restore = (version: number, elements?: readonly string[]) =>
    run(async () => {
      const { value } = await restoreVersion(path, version, elements, etag);
      if (value.draft !== null && value.draft !== variant.draft)
        restored.value = { draft: value.draft, former: variant.draft };
      announce(historyTexts().restored);
      choose(elements ? older : version, undefined);
      await refresh();
    });
  const takeBack = () =>
    run(async () => {
      if (!restored.value) return;
      const { draft, former } = restored.value;
      if (former === null) await discardRestored(path, draft);
      else await restoreVersion(path, former, undefined, etag);
      restored.value = undefined;
      announce(historyTexts().undone);
      choose(older, undefined);
      await refresh();
    });
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: [project, 'versions', path] });
    await queries.invalidateQueries({ queryKey: [project, 'history', path] });
  };

  return (
    <>
      <p>
        <Link href={itemPath(project, variant.item, variant.language)}>{historyTexts().back}</Link>
      </p>
      <div class="bar">
        <PageHeading>{historyTexts().title(variant.item.name, variant.language.name)}</PageHeading>
        <span class="end">
          <ApiCallButton
            project={project}
            calls={() => [
              { api: 'admin', path: `${path.slice(`admin/projects/${project}`.length)}/history` },
            ]}
          />
        </span>
      </div>
      {/* Undoing it would also take back what was written since. */}
      {restored.value?.draft === variant.draft && (
        <p class="notice">
          {historyTexts().restored}{' '}
          <button type="button" disabled={isBusy.value} onClick={() => void takeBack()}>
            {historyTexts().undo}
          </button>
        </p>
      )}
      <Failure error={error.value} onRetry={() => void run(refresh)} />
      <section aria-labelledby="comparison">
        <h2 id="comparison">{historyTexts().compare}</h2>
        <div class="filters versions">
          <VersionChoice
            label={historyTexts().older}
            {...{ versions, variant }}
            value={older}
            onChange={(version) => choose(version, newer)}
          />
          <VersionChoice
            label={historyTexts().newer}
            {...{ versions, variant }}
            value={newer}
            onChange={(version) => choose(older, version)}
          />
          {variant.draft !== null && variant.published !== null && variant.draft !== variant.published && (
            <button
              type="button"
              onClick={() => choose(variant.published ?? undefined, variant.draft ?? undefined)}
            >
              {historyTexts().draftWithPublished}
            </button>
          )}
        </div>
        {older === undefined || newer === undefined ? (
          <p>{historyTexts().nothingToCompare}</p>
        ) : (
          <Loaded query={model}>
            {(loaded) => (
              <Comparison
                {...{ path, older, newer }}
                model={loaded}
                isBusy={isBusy.value}
                onRestore={mayRestore ? (element) => void restore(older, [element]) : undefined}
              />
            )}
          </Loaded>
        )}
      </section>
      <section aria-labelledby="time-line">
        <h2 id="time-line">{historyTexts().timeLine}</h2>
        <Failure error={history.error} onRetry={() => void history.refetch()} />
        {history.isPending && !history.error && <p class="loading">{messages().loading}</p>}
        {history.data && entries.length === 0 && <p>{historyTexts().empty}</p>}
        <ol class="time-line">
          {entries.map((entry, at) => {
            const { sequence, version, at: time } = entry;
            const index = positions.get(entry);
            const isWritten = index !== undefined;
            const previous = isWritten ? versions[index + 1]?.version : undefined;
            return (
              <li key={`${sequence} ${at}`}>
                <span>
                  <time dateTime={time}>{formatTime(time)}</time> {whoOf(entry.user)}{' '}
                  {historyTexts().operations[entry.operation] ?? entry.operation}
                  {isWritten && <Marks version={version} variant={variant} />}
                </span>
                {version === null && entry.operation === 'upsert' && (
                  <span class="hint">{historyTexts().notKept}</span>
                )}
                {isWritten && version !== null && previous !== undefined && (
                  <button
                    type="button"
                    aria-label={historyTexts().withPreviousOf(describe(entry, variant))}
                    onClick={() => choose(previous, version)}
                  >
                    {historyTexts().withPrevious}
                  </button>
                )}
                {isWritten && version !== null && version !== latest && mayRestore && (
                  <button
                    type="button"
                    aria-label={historyTexts().restoreOf(describe(entry, variant))}
                    disabled={isBusy.value}
                    onClick={() => void restore(version)}
                  >
                    {historyTexts().restore}
                  </button>
                )}
              </li>
            );
          })}
        </ol>
        <MoreButton list={history} text={historyTexts().more} />
      </section>
      <p class="unseen" role="status">
        {older !== undefined && newer !== undefined && historyTexts().changes(nameOf(older), nameOf(newer))}
      </p>
    </>
  );
}

/** The entry that wrote each version, newest first; another one where that is not known. */
function versionsOf(entries: readonly HistoryEntry[]): readonly VersionEntry[] {
  const byVersion = new Map<number, VersionEntry>();
  for (const entry of entries) if (isOfVersion(entry)) byVersion.set(entry.version, entry);
  return [...byVersion.values()].sort((one, other) => other.version - one.version);
}

type VersionEntry = HistoryEntry & { readonly version: number };

function isOfVersion(entry: HistoryEntry): entry is VersionEntry {
  return entry.version !== null;
}

interface VersionChoiceProps {
  readonly label: string;
  readonly versions: readonly VersionEntry[];
  readonly variant: VersionedVariant;
  readonly value: number | undefined;
  readonly onChange: (version: number) => void;
}

function VersionChoice({ label, versions, variant, value, onChange }: VersionChoiceProps) {
  const options = versions.map((entry) => ({ value: String(entry.version), text: describe(entry, variant) }));
  // Before a choice, and for a version of an entry that is not loaded yet.
  if (!versions.some(({ version }) => version === value))
    options.unshift({
      value: String(value ?? ''),
      text: value === undefined ? '–' : marksOf(value, variant) || String(value),
    });
  return (
    <Choice
      label={label}
      value={String(value ?? '')}
      options={options}
      onChange={(chosen) => {
        if (chosen !== '') onChange(Number(chosen));
      }}
    />
  );
}

function Marks({
  version,
  variant,
}: {
  readonly version: number | null;
  readonly variant: VersionedVariant;
}) {
  const marks = marksOf(version, variant);
  return <>{marks === '' ? '' : ` – ${marks}`}</>;
}

function marksOf(version: number | null, { draft, published }: VersionedVariant): string {
  const { isDraft, isPublished } = historyTexts();
  return [version === draft ? isDraft : '', version === published ? isPublished : '']
    .filter((mark) => version !== null && mark !== '')
    .join(', ');
}

function describe(entry: HistoryEntry, variant: VersionedVariant): string {
  const marks = marksOf(entry.version, variant);
  return `${formatTime(entry.at)}, ${whoOf(entry.user)}${marks === '' ? '' : ` (${marks})`}`;
}

function whoOf(user: User | null): string {
  if (user === null) return historyTexts().installation;
  return user.name ?? historyTexts().unknownUser;
}

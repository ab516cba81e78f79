import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';
import { get, query } from '../api.ts';
import { mayCreate } from '../list/create-item.ts';
import { messages, useLanguage } from '../messages/messages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { isOfInputMethod } from '../parts/input-method.ts';
import { itemPath } from '../parts/item-path.ts';
import { THEMES, theme } from '../preferences.ts';
import type { Session } from '../session.ts';
import { LANGUAGES } from '../stored-preferences.ts';
import type { User } from './people-data.ts';
import { type ScreenLink, screensOf } from './screens-of.ts';

type Kind = keyof ReturnType<typeof messages>['commands']['kinds'];

interface Entry {
  readonly kind: Kind;
  readonly text: string;
  readonly run: () => void;
}

interface CommandsProps {
  readonly session: Session;
  readonly project: string | undefined;
  readonly signOut: () => void;
  readonly onClose: () => void;
}

const SHOWN = 30;
/** Pause after the last key before the server searches. */
const PAUSE_MS = 150;

/** Finds screens, projects, settings and acts here, and content, types and people on the server: a combobox (ARIA Authoring Practices). */
export function Commands({ session, project, signOut, onClose }: CommandsProps) {
  const { commands, shell } = messages();
  const [here, navigate] = useLocation();
  const search = useSearch();
  const typed = useSignal('');
  const searched = useSignal('');
  const active = useSignal(0);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  useLayoutEffect(() => input.current?.focus(), []);
  useEffect(() => {
    const timer = setTimeout(() => {
      searched.value = typed.value.trim();
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed.value]);

  const to = (path: string) => () => navigate(path);
  const own: Entry[] = [
    ...screensOf(session, project, messages()).map(({ path, text }) => ({
      kind: 'screen' as const,
      text,
      run: to(path),
    })),
    ...session.projects.map(({ id, name }) => ({
      kind: 'project' as const,
      text: commands.goTo(name),
      run: to(`/projects/${id}/home`),
    })),
    ...LANGUAGES.map((language) => ({
      kind: 'language' as const,
      text: commands.useLanguage(shell.languages[language]),
      run: () => void useLanguage(language),
    })),
    ...THEMES.map((one) => ({
      kind: 'theme' as const,
      text: commands.useTheme(shell.themes[one]),
      run: () => {
        theme.value = one;
      },
    })),
    ...acts(session, project, here.endsWith('/content') ? search : '').map(({ path, text }) => ({
      kind: 'act' as const,
      text,
      run: to(path),
    })),
    { kind: 'act', text: shell.signOut, run: signOut },
  ];
  const found = useFound(project, searched.value, typed.value.trim(), session.person.is_operator, navigate);
  const words = typed.value.toLowerCase().split(/\s+/).filter(Boolean);
  const entries = [
    ...own.filter(({ kind, text }) => {
      const searchedText = `${commands.kinds[kind]} ${text}`.toLowerCase();
      return words.every((word) => searchedText.includes(word));
    }),
    ...found.entries,
  ].slice(0, SHOWN);
  const chosen = Math.min(active.value, entries.length - 1);

  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKey = (event: KeyboardEvent) => {
    // Keys of an input method choose among its own words.
    if (isOfInputMethod(event)) return;
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: (chosen + 1) % Math.max(1, entries.length),
      ArrowUp: (chosen + entries.length - 1) % Math.max(1, entries.length),
    };
    const move = moves[event.key];
    if (move !== undefined) active.value = move;
    else if (event.key === 'Enter') run(entries[chosen]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);

  return (
    <Dialog title={commands.title} onClose={onClose}>
      <div class="field">
        <label for={id}>{commands.label}</label>
        <input
          ref={input}
          id={id}
          type="text"
          role="combobox"
          autocomplete="off"
          aria-autocomplete="list"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-describedby={`${id}-hint`}
          {...(entries.length > 0 && { 'aria-activedescendant': `${id}-${chosen}` })}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            active.value = 0;
          }}
          onKeyDown={onKey}
        />
        <p class="hint" id={`${id}-hint`}>
          {commands.hint}
        </p>
      </div>
      <Failure error={found.failure} onRetry={found.retry} />
      <p class="hint" role="status">
        {found.isSearching
          ? commands.searching
          : entries.length > 0
            ? commands.found(entries.length)
            : found.failure
              ? ''
              : commands.none}
      </p>
      <div class="options" role="listbox" id={`${id}-list`} aria-label={commands.title}>
        {entries.map((entry, at) => (
          <button
            type="button"
            key={`${entry.kind} ${entry.text} ${at}`}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            onClick={() => run(entry)}
          >
            <span>{entry.text}</span> <small>{commands.kinds[entry.kind]}</small>
          </button>
        ))}
      </div>
    </Dialog>
  );
}

/** Acts that begin on a screen. @param list what the content list shows, if it is open */
function acts({ person, projects }: Session, project: string | undefined, list: string): ScreenLink[] {
  const { content, webhooks, transfer, commands } = messages();
  const permitted = projects.find(({ id }) => id === project);
  const permissions = permitted?.permissions ?? [];
  return [
    ...(mayCreate(permitted)
      ? [
          {
            path: `/projects/${project}/content${query({ ...Object.fromEntries(new URLSearchParams(list)), add: 'true' })}`,
            text: content.newItem,
          },
        ]
      : []),
    ...(permissions.includes('manage-apis')
      ? [{ path: `/projects/${project}/webhooks?add=true`, text: webhooks.add }]
      : []),
    ...(permissions.includes('manage-project')
      ? [{ path: `/projects/${project}/export`, text: transfer.start }]
      : []),
    ...(person.is_operator
      ? [
          { path: '/projects', text: commands.newProject },
          { path: '/projects?import=true', text: transfer.importTitle },
        ]
      : []),
  ];
}

interface Found {
  readonly kind: 'item' | 'type' | 'asset';
  readonly id: string;
  readonly name: string;
  readonly codename: string;
}

/** Of items, and of other objects: those of one kind do not hide the others. */
const FOUND = 10;

/** Finds objects of a project by a few letters. @param kinds separated by commas */
function useKinds(project: string | undefined, kinds: string, text: string) {
  return useQuery({
    queryKey: [project, 'found', kinds, text],
    queryFn: ({ signal }) =>
      get<{ readonly found: readonly Found[] }>(
        `admin/projects/${project}/find${query({ text, kind: kinds, limit: FOUND })}`,
        signal,
      ),
    enabled: project !== undefined && text !== '',
    placeholderData: (before) => before,
  });
}

/**
 * What the server finds in the project, and, for operators, people.
 * @param text what was searched last
 * @param typed what is typed by now: until its answer, only what has its letters is left of the answer before
 */
function useFound(
  project: string | undefined,
  text: string,
  typed: string,
  isOperator: boolean,
  navigate: (path: string) => void,
) {
  const isOn = project !== undefined && text !== '';
  const items = useKinds(project, 'item', text);
  const others = useKinds(project, 'type,asset', text);
  // Those without a role in the project as well.
  const users = useQuery({
    queryKey: ['users'],
    meta: { follows: ['user'] },
    queryFn: () => get<{ readonly users: readonly User[] }>('admin/users'),
    enabled: isOn && isOperator,
  });
  const asked = [items, others, ...(isOperator ? [users] : [])];
  const failed = asked.filter(({ error, failureReason }) => error ?? failureReason);
  const retry = () => {
    for (const one of failed) void one.refetch({ cancelRefetch: true });
  };
  const failure = failed[0]?.error ?? failed[0]?.failureReason;
  if (!isOn) return { entries: [], isSearching: false, failure: null, retry };
  const paths: Readonly<Record<Found['kind'], (one: Found) => string>> = {
    item: (one) => itemPath(project, one),
    type: ({ codename }) => `/projects/${project}/content${query({ type: codename })}`,
    asset: ({ id }) => `/projects/${project}/assets/${id}`,
  };
  // All at once: no entry moves to the place of one that was chosen.
  if (asked.some(({ isPending, failureCount }) => isPending && failureCount === 0))
    return { entries: [], isSearching: true, failure, retry };
  const lower = typed.toLowerCase();
  const isCurrent = text === typed && !items.isPlaceholderData && !others.isPlaceholderData;
  const entries: Entry[] = [
    ...[items, others]
      .flatMap(({ data }) => data?.found ?? [])
      .filter(({ name }) => isCurrent || name.toLowerCase().includes(lower))
      .map((one) => ({
        kind: one.kind,
        text: one.name,
        run: () => navigate(paths[one.kind](one)),
      })),
    ...(users.data?.users ?? [])
      .filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(lower))
      .map(({ id, name }) => ({
        kind: 'user' as const,
        text: name,
        run: () => navigate(`/people${query({ user: id })}`),
      })),
  ];
  return { entries, isSearching: !isCurrent || items.isFetching || others.isFetching, failure, retry };
}

import { useSignal } from '@preact/signals';
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { lazy, Suspense } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { ApiError, call, confirmation, refusals, sessionEnded, TITLE } from '../api.ts';
import { copiesOf, discardCopiesOf } from '../copies/browser-copies.ts';
import type { LocalCopy } from '../copies/local-copies.ts';
import { messages, useLanguage } from '../messages/messages.ts';
import { apiBases } from '../parts/api-bases.ts';
import { Choice } from '../parts/field.tsx';
import { leave, leaveUnasked } from '../parts/leaving.ts';
import { loaded } from '../parts/loaded-chunk.tsx';
import { NewVersion } from '../parts/new-version.tsx';
import { openByKey } from '../parts/open-by-key.ts';
import { useMenu } from '../parts/use-menu.ts';
import { language, THEMES, type Theme, theme } from '../preferences.ts';
import { SESSION, type Session } from '../session.ts';
import { LANGUAGES, type Language } from '../stored-preferences.ts';
import { ConfirmPassword } from './confirm-password.tsx';
import { isAt, screensOf } from './screens-of.ts';
import { SessionEnded } from './session-ended.tsx';

/** Loaded when it is first opened. */
const Commands = lazy(() => loaded(import('./commands.tsx'), 'Commands'));
const SignOutDialog = lazy(() => loaded(import('./sign-out-dialog.tsx'), 'SignOutDialog'));

interface ShellProps {
  readonly session: Session;
  /** Id of the project that the address names. */
  readonly project: string | undefined;
  readonly children: ComponentChildren;
}

/** What every screen has around it. */
export function Shell({ session, project, children }: ShellProps) {
  const { shell, commands, loading } = messages();
  const isSearching = useSignal(false);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      // Over another dialog, an entry would leave the screen, and what is typed in it.
      isSearching.value = !isSearching.value && !document.querySelector('dialog[open]');
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const [path, navigate] = useLocation();
  const menu = useMenu(path);
  const links = screensOf(session, project, messages());
  const queries = useQueryClient();
  /** A new version was installed since the page was loaded. */
  const isOld = useSignal(false);

  /** What the person has not saved, while they are asked about it. */
  const unsaved = useSignal<readonly LocalCopy<unknown>[] | undefined>(undefined);
  async function askToSignOut(): Promise<void> {
    const copies = await copiesOf(session.person.id);
    if (copies.length > 0) unsaved.value = copies;
    else await signOut(false).catch(leave);
  }
  async function signOut(isDiscarded: boolean): Promise<void> {
    await call('DELETE', 'session').catch((error) => {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    });
    queries.clear();
    if (!isDiscarded) return leave();
    await discardCopiesOf(session.person.id);
    leaveUnasked();
  }

  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where the navigation is one row: the current screen is seen.
    const current = side.current?.querySelector<HTMLElement>('[aria-current]');
    if (side.current && current) side.current.scrollLeft = current.offsetLeft - side.current.clientWidth / 2;
  }, [path]);

  // Roles may have changed: the page offers what the server permits now.
  useEffect(() => {
    if (refusals.value > 0) void queries.invalidateQueries({ queryKey: SESSION });
  }, [refusals.value]);

  return (
    <>
      <a class="skip" href="#content">
        {shell.skip}
      </a>
      <header class="top">
        <p class="brand">{TITLE}</p>
        <Choice
          label={shell.project}
          value={project ?? ''}
          options={[
            ...(project === undefined ? [{ value: '', text: shell.noProject }] : []),
            ...session.projects.map(({ id, name }) => ({ value: id, text: name })),
          ]}
          onChange={(id) => navigate(`/projects/${id}/home`)}
          onKeyDown={openByKey}
        />
        <button
          type="button"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={() => {
            isSearching.value = true;
          }}
        >
          {commands.open}
        </button>
        <details class="menu" ref={menu}>
          <summary>
            <span class="name">{session.person.name}</span>
          </summary>
          <div>
            <Choice
              label={shell.language}
              value={language.value}
              options={LANGUAGES.map((value) => ({ value, text: shell.languages[value] }))}
              onChange={async (value) => {
                isOld.value = !(await useLanguage(value as Language));
              }}
            />
            <Choice
              label={shell.theme}
              value={theme.value}
              options={THEMES.map((value) => ({ value, text: shell.themes[value] }))}
              onChange={(value) => {
                theme.value = value as Theme;
              }}
            />
            <a href={`${apiBases().docs}/editors`} target="_blank" rel="noreferrer">
              {shell.help}
            </a>
            <Link href="/sessions">{shell.sessions}</Link>
            <button type="button" onClick={() => void askToSignOut()}>
              {shell.signOut}
            </button>
          </div>
        </details>
      </header>
      <nav class="side" aria-label={shell.navigation} ref={side}>
        {[links.filter(({ isOfAll }) => !isOfAll), links.filter(({ isOfAll }) => isOfAll)]
          .filter((part) => part.length > 0)
          .map((part) => (
            <ul key={part[0]?.path}>
              {part.map((link) => (
                <li key={link.path}>
                  <Link
                    href={link.path}
                    aria-current={path === link.path ? 'page' : isAt(link, path) ? 'true' : undefined}
                  >
                    {link.text}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
      </nav>
      <main id="content" tabIndex={-1}>
        {isOld.value && <NewVersion />}
        {children}
      </main>
      {isSearching.value && (
        <Suspense fallback={<p class="loading">{loading}</p>}>
          <Commands
            session={session}
            project={project}
            signOut={() => void askToSignOut()}
            onClose={() => {
              isSearching.value = false;
            }}
          />
        </Suspense>
      )}
      {unsaved.value && (
        <Suspense fallback={<p class="loading">{loading}</p>}>
          <SignOutDialog
            copies={unsaved.value}
            signOut={signOut}
            onClose={() => {
              unsaved.value = undefined;
            }}
          />
        </Suspense>
      )}
      {confirmation.value && !sessionEnded.value && <ConfirmPassword onEnd={confirmation.value} />}
      {sessionEnded.value && <SessionEnded person={session.person} />}
    </>
  );
}

/**
 * Runs while the application is still being loaded, and starts what its first screen needs: the chunk of the screen, the
 * texts, who is signed in, and the first data. The build makes it a script of its own, without imports.
 */
import { askEarly, dropEarlyWithoutSession, hasAnswers } from './early-answers.ts';
import { firstData } from './first-data.ts';
import { type ScreenName, screenAt } from './screen-name.ts';
import { storedLanguage } from './stored-preferences.ts';

/** From the build: the files of each screen that is a chunk of its own, and of the German texts. */
declare const SCREENS: Readonly<Partial<Record<ScreenName, readonly string[]>>>;
declare const GERMAN: readonly string[];

const base = document.documentElement.dataset['base'] ?? '/console';
const screen = screenAt(location.pathname.slice(base.length));

if (!hasAnswers()) {
  askEarly(`${base}/api`, [
    'session',
    ...(screen ? firstData(screen, new URLSearchParams(location.search)) : []),
  ]);
  dropEarlyWithoutSession();
}
for (const file of [
  ...((screen && SCREENS[screen.name]) ?? []),
  ...(storedLanguage() === 'de' ? GERMAN : []),
]) {
  const link = document.createElement('link');
  link.rel = 'modulepreload';
  link.href = `${base}/files/${file}`;
  document.head.append(link);
}

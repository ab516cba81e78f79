import { useEffect } from 'preact/hooks';
import { call, callTagged } from '../api.ts';
import { isIdle, type Presence, presence, TAB } from '../events.ts';

/** Reports count for 45 s. */
const AGAIN_MS = 20_000;

interface Open {
  readonly project: string;
  /** Id of the item; undefined: nothing is open. */
  readonly item: string | undefined;
  /** Id of the language. */
  readonly language: string;
  /** Codename of the element that has the focus. */
  readonly element: string | null;
}

/** Reports the variant that is open here, while someone uses the page. @returns the others who have it open */
export function usePresence({ project, item, language, element }: Open): readonly Presence[] {
  useEffect(() => {
    if (item === undefined) return undefined;
    const report = () => {
      if (document.visibilityState === 'hidden' || isIdle()) return;
      call('PUT', 'presence', { tab: TAB, project, item, language, element }).catch(() => {});
    };
    report();
    const timer = setInterval(report, AGAIN_MS);
    return () => clearInterval(timer);
  }, [project, item, language, element]);
  useEffect(() => {
    if (item === undefined) return undefined;
    const end = (isLast: boolean) =>
      void callTagged('DELETE', `presence/${TAB}`, undefined, { isLast }).catch(() => {});
    // The next page has an id of its own: for it, this one would be someone else.
    const leave = () => end(true);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      end(false);
    };
  }, [item, language]);
  return othersAt(item, language);
}

/** Who has an item open elsewhere. @param language of the variant; undefined: any */
export function othersAt(item: string | undefined, language?: string): readonly Presence[] {
  return presence.value.filter(
    (one) => one.tab !== TAB && one.item === item && (language === undefined || one.language === language),
  );
}

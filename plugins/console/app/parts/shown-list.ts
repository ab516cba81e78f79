import { useEffect } from 'preact/hooks';
import { useLocation, useSearch } from 'wouter-preact';

/** What lists showed last, by their paths. */
const searches = new Map<string, string>();

/** Notes what the list of this screen shows, for the links that lead back to it. */
export function useShownList(): void {
  const [path] = useLocation();
  const search = useSearch();
  useEffect(() => {
    const shown = new URLSearchParams(search);
    // An open dialog is no part of the list.
    shown.delete('add');
    searches.set(path, shown.size === 0 ? '' : `?${shown}`);
  }, [path, search]);
}

/** Where a list is shown as it was last. */
export const shownList = (path: string): string => path + (searches.get(path) ?? '');

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { History } from './history.ts';

interface KeptEdits {
  /** JSON of what was edited. */
  readonly base: string;
  readonly history: History<unknown>;
}

/** Edits of forms that were left without saving, by their address. */
const kept = new Map<string, KeptEdits>();

interface Edits<T> {
  readonly history: History<T>;
  /** Call once they are saved. */
  end(): void;
}

/**
 * The edits of a form. One that was left without saving has them again when it is opened for the same state.
 *
 * @param carried an edit that a new form begins with
 */
export function useEdits<T>(base: T, carried?: T): Edits<T> {
  const [address] = useLocation();
  const isOver = useRef(false);
  const history = useMemo(() => {
    const former = kept.get(address);
    if (carried === undefined && former?.base === JSON.stringify(base)) return former.history as History<T>;
    const made = new History(base);
    if (carried !== undefined) made.edit(carried);
    return made;
  }, []);
  useEffect(() => {
    kept.delete(address);
    return () => {
      if (!isOver.current && history.canUndo)
        kept.set(address, { base: JSON.stringify(base), history: history as History<unknown> });
    };
  }, []);
  return {
    history,
    end() {
      isOver.current = true;
    },
  };
}

/** The browser asks before a page with changes is left. */
export function useLeaveGuard(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isChanged]);
}

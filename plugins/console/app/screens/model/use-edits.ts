import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { pageUser } from '../../api.ts';
import { browserCopies } from '../../parts/browser-copies.ts';
import { LocalCopies } from '../../parts/local-copies.ts';
import { History } from './history.ts';

interface LeftEdits {
  /** JSON of what was edited. */
  readonly base: string;
  readonly history: History<unknown>;
}

/** Edits of forms that were left without saving, by their address. */
const left = new Map<string, LeftEdits>();

/** The copy that the browser has of a form whose page has ended. */
interface UnsavedEdit<T> {
  /** JSON of what was edited. */
  readonly base: string;
  readonly value: T;
}

export interface Edits<T> {
  readonly history: History<T>;
  /** What a form that ended with its page had, and this one has not. */
  readonly found: Signal<{ readonly isOutdated: boolean } | undefined>;
  /** Goes on with what was found. */
  restore(): Promise<void>;
  /** Gives up what was found. */
  drop(): Promise<void>;
  /** Call once they are saved, given up, or carried to another form. */
  end(): void;
}

/**
 * The edits of a form. One that was left without saving has them again when it is opened for the same state; after a reload
 * or the end of the browser they are offered.
 *
 * @param carried an edit that a new form begins with
 */
export function useEdits<T>(base: T, carried?: T): Edits<T> {
  const [address] = useLocation();
  const isOver = useRef(false);
  const offered = useRef<UnsavedEdit<T> | undefined>(undefined);
  const found = useSignal<{ readonly isOutdated: boolean } | undefined>(undefined);
  const { history, copies, look, baseText } = useMemo(() => {
    const baseText = JSON.stringify(base);
    const former = left.get(address);
    const isLeft = carried === undefined && former?.base === baseText;
    const history = isLeft ? (former.history as History<T>) : new History(base);
    if (carried !== undefined) history.edit(carried);
    const isHere = (value: T) =>
      [baseText, JSON.stringify(history.value.peek())].includes(JSON.stringify(value));
    const copies = new LocalCopies<UnsavedEdit<T>>(
      `model ${pageUser()} ${address}`,
      () => {
        const value = history.value.peek();
        return isOver.current || JSON.stringify(value) === baseText ? [] : [{ base: baseText, value }];
      },
      () => undefined,
      browserCopies,
      () => void look(),
    );
    const look = async () => {
      for (;;) {
        const copy = found.peek() === undefined ? await copies.found() : undefined;
        if (!copy || isOver.current) return;
        const [one] = copy.elements;
        if (one && !isHere(one.value)) {
          offered.current = one;
          found.value = { isOutdated: one.base !== baseText };
          return;
        }
        if (!(await copies.write())) return;
        await copies.dropFound();
      }
    };
    return { history, copies, look, baseText };
  }, []);
  useEffect(() => {
    left.delete(address);
    void look();
    const ended = history.value.subscribe(() => copies.schedule());
    const write = () => void copies.write();
    addEventListener('pagehide', write);
    return () => {
      removeEventListener('pagehide', write);
      ended();
      const isLeft = !isOver.current && history.canUndo;
      if (isLeft) left.set(address, { base: baseText, history: history as History<unknown> });
      void copies.write().then(() => copies.close());
    };
  }, []);
  const drop = async () => {
    offered.current = undefined;
    found.value = undefined;
    await copies.dropFound();
    await look();
  };
  return {
    history,
    found,
    async restore() {
      if (offered.current) history.edit(offered.current.value);
      found.value = undefined;
      // Until this form has a copy, there is no other one.
      if (await copies.write()) await drop();
    },
    drop,
    end() {
      isOver.current = true;
      void copies.write();
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

import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { onPageUser, pageUser } from '../../api.ts';
import { browserCopies } from '../../copies/browser-copies.ts';
import { CopyOffer } from '../../copies/copy-offer.ts';
import { LocalCopies } from '../../copies/local-copies.ts';
import { headingOf } from '../../parts/heading.ts';
import { askBeforeLeaving } from '../../parts/leaving.ts';
import { History } from './history.ts';

interface LeftEdits {
  /** JSON of what was edited. */
  readonly base: string;
  readonly history: History<unknown>;
}

/** Edits of forms that were left without saving, by their person and address. */
const left = new Map<string, LeftEdits>();

/** The copy that the browser has of a form whose page has ended. */
interface UnsavedEdit<T> {
  /** JSON of what was edited. */
  readonly base: string;
  readonly value: T;
}

export interface Edits<T> {
  readonly history: History<T>;
  /** Of a form that ended with its page. */
  readonly offer: CopyOffer<UnsavedEdit<T>>;
  /** Call once they are saved, given up, or carried to another form. */
  end(): void;
}

/**
 * The edits of a form. One that was left without saving has them again when it is opened for the same state; after a reload
 * or the end of the browser they are offered.
 *
 * @param changes what differs between two states, in sentences
 * @param carried an edit that a new form begins with
 */
export function useEdits<T>(
  base: T,
  changes: (before: T, after: T) => readonly string[],
  carried?: T,
): Edits<T> {
  const [address] = useLocation();
  const isOver = useRef(false);
  /** Of this page: when the copy is written for the last time, another one may be shown. */
  const title = useRef('');
  const ofPerson = () => `${pageUser.peek()} model ${address}`;
  const { history, copies, offer, baseText } = useMemo(() => {
    const baseText = JSON.stringify(base);
    const former = left.get(ofPerson());
    const isLeft = carried === undefined && former?.base === baseText;
    const history = isLeft ? (former.history as History<T>) : new History(base);
    if (carried !== undefined) history.edit(carried);
    const copies = new LocalCopies<UnsavedEdit<T>>(browserCopies, {
      of: ofPerson(),
      changed: () => {
        const value = history.value.peek();
        return isOver.current || JSON.stringify(value) === baseText ? [] : [{ base: baseText, value }];
      },
      titleOf: () => ({ title: title.current }),
      onResult: () => undefined,
      onClosed: () => void offer.look(),
    });
    const offer: CopyOffer<UnsavedEdit<T>> = new CopyOffer(copies, {
      isHere: ([one]) =>
        !one || [baseText, JSON.stringify(history.value.peek())].includes(JSON.stringify(one.value)),
      isOutdated: ([one]) => one?.base !== baseText,
      linesOf: ([one]) => (one ? changes(JSON.parse(one.base) as T, one.value) : []),
      // Undo brings it back.
      replaced: () => [],
      putIn: ([one]) => one && history.edit(one.value),
    });
    return { history, copies, offer, baseText };
  }, []);
  useEffect(() => {
    left.delete(ofPerson());
    title.current = headingOf();
    void offer.look();
    const ended = history.value.subscribe(() => copies.schedule());
    const write = () => void copies.write();
    addEventListener('pagehide', write);
    const unfollow = onPageUser(() => void offer.moveTo(ofPerson()));
    return () => {
      removeEventListener('pagehide', write);
      unfollow();
      ended();
      const isLeft = !isOver.current && history.canUndo;
      if (isLeft) left.set(ofPerson(), { base: baseText, history: history as History<unknown> });
      void copies.write().then(() => copies.close());
    };
  }, []);
  return {
    history,
    offer,
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
    return askBeforeLeaving(() => true);
  }, [isChanged]);
}

import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { sessionEnded } from '../../api.ts';
import { browserCopies } from '../../copies/browser-copies.ts';
import { LocalCopies, type LocalCopy } from '../../copies/local-copies.ts';
import { askBeforeLeaving } from '../../parts/leaving.ts';
import { Autosave, TIMES } from './autosave.ts';
import type { ItemForm, UnsavedElement } from './item-form.ts';
import { Reading } from './reading.ts';
import { isTemporary } from './server.ts';

export interface Saving {
  /** Saves at once. @returns whether the server has everything */
  save(): Promise<boolean>;
  /** A save has failed, and will be tried again. */
  readonly willRetry: boolean;
  /** Whether the browser has a copy of what the server does not have; undefined: it is about to get one. */
  readonly hasCopy: Signal<boolean | undefined>;
  /** What an earlier visit has left, until someone has decided about it. */
  readonly found: Signal<LocalCopy<UnsavedElement> | undefined>;
  restoreFound(): void;
  dropFound(): void;
  /** Takes over what others saved. Repeated where there is no connection. */
  readOthers(): void;
}

/** Last saves of forms that were closed, by what they are the form of. */
const ending = new Map<string, Promise<void>>();

/**
 * Saves a form by itself, and keeps a copy in the browser of what is not saved.
 * @param key names person, project, item and language
 * @param itemName says in words what a copy is of
 */
export function useSaving(
  form: ItemForm,
  key: string,
  itemName: string,
  mayEdit: boolean,
  onSaved: () => Promise<void>,
): Saving {
  const hasCopy = useSignal<boolean | undefined>(undefined);
  const found = useSignal<LocalCopy<UnsavedElement> | undefined>(undefined);
  const isAllowed = useSignal(mayEdit);
  const isOpen = useSignal(true);
  isAllowed.value = mayEdit;
  const name = useRef(itemName);
  name.current = itemName;
  const { copies, autosave, reading, look } = useMemo(() => {
    const copies = new LocalCopies<UnsavedElement>(browserCopies, {
      of: key,
      changed: () => form.unsaved(),
      titleOf: (elements) => ({ title: name.current, fields: elements.map((element) => element.name) }),
      onResult: (result) => {
        hasCopy.value = result;
      },
      onClosed: () => {
        if (found.peek() === undefined) void look();
      },
    });
    const autosave = new Autosave(form, {
      isAllowed: () => isAllowed.peek(),
      isTemporary,
      async onSaved() {
        await copies.write();
        if (form.changed.peek().size === 0) await look();
        await onSaved();
      },
    });
    const reading = new Reading(form, { isTemporary, times: TIMES });
    const look = async () => {
      const copy = isOpen.peek() ? await copies.found() : undefined;
      if (!copy || !isOpen.peek()) return;
      if (form.lacking(copy.elements).length > 0) found.value = copy;
      else await copies.dropFound();
    };
    return { copies, autosave, reading, look };
  }, [form, key]);
  useEffect(() => {
    isOpen.value = true;
    void (async () => {
      await ending.get(key);
      // Of a form that was renewed, or of the person who goes on: `look` drops the earlier copy.
      if (isOpen.peek() && form.unsaved().length > 0) await copies.write();
      await look();
    })();
    form.onChange = () => {
      if (hasCopy.peek()) hasCopy.value = undefined;
      copies.schedule();
      autosave.schedule();
    };
    const hide = () => {
      if (document.visibilityState === 'hidden') leave();
    };
    const leave = () => {
      if (form.changed.peek().size === 0) return;
      void copies.write();
      void autosave.saveNow({ isLeaving: true });
    };
    const connect = () => {
      if (autosave.willRetry.peek()) void autosave.saveNow();
      if (reading.willRetry.peek()) void reading.readNow();
    };
    const signedIn = sessionEnded.subscribe((hasEnded) => {
      if (!hasEnded) connect();
    });
    addEventListener('online', connect);
    addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', hide);
    const unwarned = askBeforeLeaving(() => form.changed.peek().size > 0 && !hasCopy.peek());
    return () => {
      isOpen.value = false;
      reading.stop();
      signedIn();
      removeEventListener('online', connect);
      removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', hide);
      unwarned();
      const end = copies
        .write()
        .then(() => autosave.stop())
        .finally(() => {
          copies.close();
          if (ending.get(key) === end) ending.delete(key);
        });
      ending.set(key, end);
    };
  }, [form, copies, autosave, reading, look]);
  const isFree = mayEdit && form.obstacle.value === undefined;
  useEffect(() => {
    // What was typed while it could not be saved.
    if (isFree) autosave.schedule();
  }, [autosave, isFree]);
  return {
    save: () => autosave.saveNow({ isAsked: true }),
    willRetry: autosave.willRetry.value,
    hasCopy,
    found,
    restoreFound() {
      form.restore(found.value?.elements ?? []);
      found.value = undefined;
      void copies.write().then((isWritten) => {
        if (isWritten) void copies.dropFound();
      });
    },
    dropFound() {
      found.value = undefined;
      void copies.dropFound();
    },
    readOthers: () => void reading.readNow(),
  };
}

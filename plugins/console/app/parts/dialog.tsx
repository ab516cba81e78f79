import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { messages } from '../messages/messages.ts';

interface DialogProps {
  readonly title: string;
  /** Absent: the dialog stays until its task is done. */
  readonly onClose?: () => void;
  /** It may open while someone types: no key acts before the person has moved to a button. */
  readonly isUnasked?: boolean;
  /** Texts are typed in it: Escape asks before it discards them. */
  readonly isForm?: boolean;
  readonly children: ComponentChildren;
}

/** The browser's modal dialog: it keeps the focus, and Escape closes it. */
export function Dialog({ title, onClose, isUnasked = false, isForm = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const isTyped = useRef(false);
  const isAsking = useSignal(false);
  // Before the next key or click, which is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    if (isUnasked) heading.current?.focus();
    // The focus goes back to where it was.
    return () => dialog?.close();
  }, []);
  const leave = () => {
    if (isForm && isTyped.current && onClose) isAsking.value = !isAsking.value;
    else onClose?.();
  };
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      // Where a disabled button has lost the focus, no key event passes here, and the second Escape would close it.
      closedby={onClose ? 'closerequest' : 'none'}
      onInput={() => {
        isTyped.current = true;
      }}
      onReset={() => {
        isTyped.current = false;
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        // Chromium closes a dialog at the second Escape, whatever becomes of `cancel`.
        event.preventDefault();
        // The Escape of an input method ends its composition.
        if (!event.isComposing) leave();
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
    >
      <h2 ref={heading} id={id} tabIndex={isUnasked ? -1 : undefined}>
        {title}
      </h2>
      {children}
      {isAsking.value && (
        <DiscardQuestion
          onStay={() => {
            isAsking.value = false;
          }}
          onDiscard={() => {
            // Forms drop their copies.
            for (const form of ref.current?.querySelectorAll('form') ?? [])
              form.dispatchEvent(new Event('reset'));
            onClose?.();
          }}
        />
      )}
    </dialog>
  );
}

interface DiscardQuestionProps {
  readonly onStay: () => void;
  readonly onDiscard: () => void;
}

/** Has the focus until it is answered; Escape is "stay". */
function DiscardQuestion({ onStay, onDiscard }: DiscardQuestionProps) {
  const { dialog } = messages();
  const stay = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    stay.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div class="notice" role="alert">
      <p>{dialog.isTyped}</p>
      <div class="actions">
        <button type="button" onClick={onDiscard}>
          {dialog.discard}
        </button>
        <button type="button" class="primary" ref={stay} onClick={onStay}>
          {dialog.stay}
        </button>
      </div>
    </div>
  );
}

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Absent: the dialog stays until its task is done. */
  readonly onClose?: () => void;
  /** It may open while someone types: no key acts before the person has moved to a button. */
  readonly isUnasked?: boolean;
  readonly children: ComponentChildren;
}

/** The browser's modal dialog: it keeps the focus, and Escape closes it. */
export function Dialog({ title, onClose, isUnasked = false, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  // Before the next key or click, which is meant for the dialog.
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    if (isUnasked) heading.current?.focus();
    // The focus goes back to where it was.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2 ref={heading} id={id} tabIndex={isUnasked ? -1 : undefined}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}

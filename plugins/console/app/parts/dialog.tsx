import { useSignal } from '@preact/signals';
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { Announcements } from './announce.tsx';
import { isOfInputMethod } from './input-method.ts';

/** A form in a dialog that has a copy of what is typed in it. */
export interface FormOfDialog {
  /** Whether something is typed or chosen in it. */
  readonly isUnsaved: boolean;
  /** Whether the browser has a copy of that; it has none of files. */
  readonly isCopied: boolean;
  /** Whether it offers what was typed before. */
  readonly isOffering: boolean;
  /** Gives up what is typed in it and what it offers. */
  discard(): Promise<void>;
}

interface DialogOfForm {
  /** Closes the dialog, unless its person has to say first what becomes of what is typed. */
  leave(): void;
  readonly forms: Set<FormOfDialog>;
}

const DialogContext = createContext<DialogOfForm | undefined>(undefined);

/** The dialog knows the form while it is there. */
export function useInDialog(form: FormOfDialog): void {
  const dialog = useContext(DialogContext);
  useEffect(() => {
    dialog?.forms.add(form);
    return () => {
      dialog?.forms.delete(form);
    };
  }, [dialog, form]);
}

interface CancelProps {
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** Leaves a dialog as Escape does. */
export function Cancel({ disabled = false, children }: CancelProps) {
  const dialog = useContext(DialogContext);
  return (
    <button type="button" disabled={disabled} onClick={() => dialog?.leave()}>
      {children}
    </button>
  );
}

interface FormActionsProps {
  /** What the form does. */
  readonly submit: ComponentChildren;
  readonly isDisabled?: boolean;
  /** Other buttons. */
  readonly children?: ComponentChildren;
}

/** The last row of a form in a dialog. */
export function FormActions({ submit, isDisabled = false, children }: FormActionsProps) {
  return (
    <div class="actions">
      {children}
      <Cancel>{messages().dialog.cancel}</Cancel>
      <button type="submit" class="primary" disabled={isDisabled}>
        {submit}
      </button>
    </div>
  );
}

interface DialogProps {
  readonly title: string;
  /** Absent: the dialog stays until its task is done. */
  readonly onClose?: () => void;
  /** It may open while someone types: no key acts before the person has moved to a button. */
  readonly isUnasked?: boolean;
  /** Texts are typed in it: Escape and `Cancel` ask what becomes of them. */
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
  const forms = useMemo(() => new Set<FormOfDialog>(), []);
  const leave = () => {
    // A form without copies does not know what was typed in it.
    const isUnsaved = forms.size > 0 ? [...forms].some((form) => form.isUnsaved) : isTyped.current;
    if (isForm && isUnsaved && onClose) isAsking.value = true;
    else onClose?.();
  };
  const onEscape = () => {
    if (isAsking.value) isAsking.value = false;
    else leave();
  };
  const current = useRef(leave);
  current.current = leave;
  const context = useMemo(() => ({ forms, leave: () => current.current() }), [forms]);
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
        if (!isOfInputMethod(event)) onEscape();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onEscape();
      }}
    >
      <h2 ref={heading} id={id} tabIndex={isUnasked ? -1 : undefined}>
        {title}
      </h2>
      <DialogContext.Provider value={context}>{children}</DialogContext.Provider>
      {isAsking.value && (
        <LeaveQuestion
          forms={[...forms]}
          onStay={() => {
            isAsking.value = false;
          }}
          onKeep={() => onClose?.()}
          onDiscard={() => {
            for (const form of forms) void form.discard();
            onClose?.();
          }}
        />
      )}
      <Announcements />
    </dialog>
  );
}

interface LeaveQuestionProps {
  readonly forms: readonly FormOfDialog[];
  readonly onStay: () => void;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Has the focus until it is answered; Escape is "stay". */
function LeaveQuestion({ forms, onStay, onKeep, onDiscard }: LeaveQuestionProps) {
  const { dialog } = messages();
  const stay = useRef<HTMLButtonElement>(null);
  const unsaved = forms.filter(({ isUnsaved }) => isUnsaved);
  const hasCopy = unsaved.some(({ isCopied }) => isCopied);
  useEffect(() => {
    const before = document.activeElement;
    stay.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <div class="notice" role="alert">
      <p>
        {dialog.isUnsaved} {hasCopy && dialog.keepHint}{' '}
        {forms.some(({ isOffering }) => isOffering) && dialog.offeredToo}
      </p>
      <div class="actions">
        <button type="button" onClick={onDiscard}>
          {dialog.discard}
        </button>
        {hasCopy && (
          <button type="button" onClick={onKeep}>
            {dialog.keep}
          </button>
        )}
        <button type="button" class="primary" ref={stay} onClick={onStay}>
          {dialog.stay}
        </button>
      </div>
    </div>
  );
}

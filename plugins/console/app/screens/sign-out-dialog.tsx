import type { LocalCopy } from '../copies/local-copies.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { signOutTexts } from '../messages/sign-out.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAct } from '../parts/use-act.ts';

interface SignOutDialogProps {
  /** What the person has not saved, the newest first. */
  readonly copies: readonly LocalCopy<unknown>[];
  readonly signOut: (isDiscarded: boolean) => Promise<void>;
  readonly onClose: () => void;
}

/** Copies that are named. */
const SHOWN = 10;

/** Names what is not saved, and asks what becomes of it: copies may contain secrets, and stay in the browser otherwise. */
export function SignOutDialog({ copies, signOut, onClose }: SignOutDialogProps) {
  const texts = signOutTexts();
  const { run, error, isBusy } = useAct();
  const button = (isDiscarded: boolean) => (
    <button
      type="button"
      class={isDiscarded ? undefined : 'primary'}
      disabled={isBusy.value}
      onClick={() => void run(() => signOut(isDiscarded))}
    >
      {isDiscarded ? texts.discard : texts.keep}
    </button>
  );
  return (
    <Dialog title={texts.title} {...(!isBusy.value && { onClose })}>
      <p>{texts.explain}</p>
      <ul>
        {copies.slice(0, SHOWN).map(({ title, fields = [], at }, index) => (
          <li key={index}>
            {texts.copy(title || texts.untitled, [...new Set(fields)].join(', '), formatTime(at))}
          </li>
        ))}
        {copies.length > SHOWN && <li>{texts.more(copies.length - SHOWN)}</li>}
      </ul>
      <p class="hint">{texts.keepHint}</p>
      <Failure error={error.value} />
      <div class="actions">
        <button type="button" disabled={isBusy.value} onClick={onClose}>
          {messages().dialog.cancel}
        </button>
        {button(true)}
        {button(false)}
      </div>
    </Dialog>
  );
}

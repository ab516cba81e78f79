import { messages } from '../messages/messages.ts';
import { Dialog } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that is shown once. */
export function SecretDialog({ title, hint, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <p>
        <code class="link">{secret}</code>
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {messages().close}
        </button>
      </div>
    </Dialog>
  );
}

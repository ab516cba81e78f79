import { Fragment } from 'preact';
import { messages } from '../messages/messages.ts';
import { Dialog } from './dialog.tsx';

interface SecretDialogProps {
  readonly title: string;
  readonly hint: string;
  /** One, or several by name. */
  readonly secret: string | Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** What is shown once. */
export function SecretDialog({ title, hint, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      {typeof secret === 'string' ? (
        <p>
          <code class="link">{secret}</code>
        </p>
      ) : (
        <dl>
          {Object.entries(secret).map(([name, one]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <code class="link">{one}</code>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {messages().close}
        </button>
      </div>
    </Dialog>
  );
}

import { Fragment } from 'preact';
import { copyingTexts } from '../messages/copying.ts';
import { messages } from '../messages/messages.ts';
import { CopyButton } from './copy-button.tsx';
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
          <code class="link">{secret}</code> <CopyButton text={secret} />
        </p>
      ) : (
        <dl>
          {Object.entries(secret).map(([name, one]) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>
                <code class="link">{one}</code> <CopyButton text={one} label={copyingTexts().copyOf(name)} />
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

import { call } from '../api.ts';
import { formatTime } from '../messages/messages.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { useAct } from '../parts/use-act.ts';

interface RotateDialogProps {
  /** Of the webhook in the admin API. */
  readonly path: string;
  readonly name: string;
  readonly previousUntil: string | null;
  readonly onClose: () => void;
  readonly onDone: (secret: string) => void;
}

/** Explains the overlap, then rotates the secret of a webhook. */
export function RotateDialog({ path, name, previousUntil, onClose, onDone }: RotateDialogProps) {
  const webhook = webhookTexts();
  const { run, error, isBusy } = useAct();
  const rotate = () =>
    run(async () => {
      const { secret } = await call<{ readonly secret: string }>('POST', `${path}/rotate-secret`);
      onDone(secret);
    });
  return (
    <Dialog title={webhook.rotateTitle(name)} onClose={onClose}>
      <ol>
        {webhook.rotateSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {previousUntil !== null && Date.parse(previousUntil) > Date.now() && (
        <p class="warning">{webhook.overlapUntil(formatTime(previousUntil))}</p>
      )}
      <Failure error={error.value} />
      <div class="actions">
        <button type="button" onClick={onClose}>
          {webhook.cancel}
        </button>
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void rotate()}>
          {webhook.rotateNow}
        </button>
      </div>
    </Dialog>
  );
}

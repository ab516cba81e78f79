import { useQuery } from '@tanstack/preact-query';
import { get } from '../api.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { ServerText } from '../parts/server-text.tsx';

interface Sent {
  readonly note: string | null;
  readonly body: string | null;
  readonly attempts: readonly {
    readonly at: string;
    readonly status: number | null;
    readonly duration_ms: number;
    readonly answer: string | null;
    readonly error: string | null;
    readonly manual: boolean;
    readonly headers: Readonly<Record<string, string>> | null;
  }[];
}

/** @param path of the notification in the admin API */
export function SentDialog({ path, onClose }: { readonly path: string; readonly onClose: () => void }) {
  const { webhooks, close } = messages();
  const webhook = webhookTexts();
  const read = useQuery({ queryKey: ['sent', path], queryFn: () => get<Sent>(path) });
  return (
    <Dialog title={webhook.sentTitle} onClose={onClose}>
      <Loaded query={read}>
        {({ note, body, attempts }) => (
          <>
            {note !== null && (
              <p>
                {webhook.note}: <ServerText text={note} />
              </p>
            )}
            <h3>{webhook.body}</h3>
            {body === null ? <p>{webhook.noBody}</p> : <pre>{readable(body)}</pre>}
            {attempts.map(({ at, status, duration_ms, answer, error, manual, headers }, index) => (
              <section key={at}>
                <h3>
                  {webhook.attempt(index + 1, formatTime(at))}
                  {manual && ` (${webhooks.manual})`}
                </h3>
                <p>
                  {error === null ? (status ?? webhook.noAnswer) : <ServerText text={error} />}, {duration_ms}{' '}
                  ms
                </p>
                {answer !== null && answer !== '' && (
                  <>
                    <h4>{webhook.answer}</h4>
                    <pre>{answer}</pre>
                  </>
                )}
                {headers && (
                  <details>
                    <summary>{webhook.headers}</summary>
                    <p class="hint">{webhook.headersHint}</p>
                    <dl class="headers">
                      {Object.entries(headers).map(([name, value]) => (
                        <div key={name}>
                          <dt>{name}</dt>
                          <dd>{value}</dd>
                        </div>
                      ))}
                    </dl>
                  </details>
                )}
              </section>
            ))}
          </>
        )}
      </Loaded>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          {close}
        </button>
      </div>
    </Dialog>
  );
}

/** JSON with line breaks; other text as it is. */
function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

import { useSignal } from '@preact/signals';
import { callTagged } from '../api.ts';
import { apiCallTexts } from '../messages/api-call.ts';
import { apiBases } from './api-bases.ts';
import { type ApiCall, clientOf, consolePathOf, curlOf, fetchOf } from './api-snippets.ts';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Choice } from './field.tsx';
import { JsonTree } from './json-tree.tsx';
import { useAct } from './use-act.ts';

interface ApiCallDialogProps {
  readonly project: string | undefined;
  readonly calls: readonly ApiCall[];
  readonly onClose: () => void;
}

const FORMS = ['curl', 'fetch', 'client'] as const;
type Form = (typeof FORMS)[number];

export function ApiCallDialog({ project, calls, onClose }: ApiCallDialogProps) {
  const texts = apiCallTexts();
  const chosen = useSignal(0);
  const form = useSignal<Form>('curl');
  const answer = useSignal<{ readonly body: unknown; readonly milliseconds: number } | undefined>(undefined);
  const { run, error, isBusy } = useAct();
  const bases = apiBases();
  const isOnly = (name: ApiCall['api']) => calls.filter(({ api }) => api === name).length === 1;
  const call = calls[chosen.value] as ApiCall;
  const snippets: Readonly<Record<Form, string | undefined>> = {
    curl: curlOf(call, bases, project),
    fetch: fetchOf(call, bases, project),
    client: clientOf(call, bases, project),
  };
  const offered = FORMS.filter((one) => snippets[one] !== undefined);
  const shown = offered.find((one) => one === form.value) ?? 'curl';
  const snippet = snippets[shown] ?? '';
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <div class="filters">
        <Choice
          label={texts.api}
          value={String(chosen.value)}
          options={calls.map(({ api, path }, index) => ({
            value: String(index),
            text: isOnly(api) ? texts.apis[api] : `${texts.apis[api]}: ${path}`,
          }))}
          onChange={(index) => {
            chosen.value = Number(index);
            answer.value = undefined;
            error.value = undefined;
          }}
        />
        <Choice
          label={texts.form}
          value={shown}
          options={offered.map((one) => ({ value: one, text: texts.forms[one] }))}
          onChange={(one) => (form.value = one as Form)}
        />
      </div>
      <textarea class="snippet" aria-label={texts.forms[shown]} readOnly rows={8} value={snippet} />
      <div class="actions">
        <a href={bases.docs} target="_blank" rel="noreferrer">
          {texts.docs}
        </a>
        <CopyButton text={snippet} />
        <button
          type="button"
          class="primary"
          disabled={isBusy.value}
          onClick={() =>
            void run(async () => {
              answer.value = undefined;
              const began = performance.now();
              // Another call may have been chosen meanwhile.
              const isShown = () => calls[chosen.value] === call;
              try {
                const { value } = await callTagged('GET', consolePathOf(call, project));
                const milliseconds = Math.round(performance.now() - began);
                if (isShown()) answer.value = { body: value, milliseconds };
              } catch (failure) {
                if (isShown()) throw failure;
              }
            })
          }
        >
          {texts.run}
        </button>
        <button type="button" onClick={onClose}>
          {texts.close}
        </button>
      </div>
      <p class="hint">{texts.executedAs}</p>
      <div role="status">
        {isBusy.value && <p>{texts.running}</p>}
        {answer.value && <p>{texts.took(200, answer.value.milliseconds)}</p>}
      </div>
      <Failure error={error.value} />
      {answer.value && <JsonTree value={answer.value.body} />}
    </Dialog>
  );
}

import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useRef } from 'preact/hooks';
import { call, get } from '../api.ts';
import { messages } from '../messages/messages.ts';
import { webhookTexts } from '../messages/webhook.ts';
import { announce } from '../parts/announce.tsx';
import { Checks } from '../parts/checks.tsx';
import { Conflict } from '../parts/conflict.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { useQuestion } from '../parts/question.tsx';
import { UnsavedForm, type UnsavedInput, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { actOnShown, type TaggedObject, useTagged } from '../parts/use-tagged.ts';

/** The operations of each type that a webhook can choose. */
const OPERATIONS = {
  content_item_variant: ['publish', 'unpublish', 'archive', 'restore'],
  content_item: ['publish', 'unpublish', 'upsert', 'archive', 'restore'],
  taxonomy: ['upsert', 'archive', 'restore'],
  content_type: ['upsert'],
  asset: ['upsert'],
  sitemap: ['upsert'],
  project_settings: ['upsert'],
  project: ['archive', 'restore'],
} as const;
/** What moves in the workflow. */
const MOVED = 'content_item_variant';
const STEPS = 'workflow_steps';
const TYPES = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];

export interface Triggers {
  readonly delivery_api_content_changes: readonly {
    readonly type: string;
    readonly operations: readonly string[];
  }[];
  readonly workflow_step_changes: readonly {
    readonly type: string;
    /** All steps where it is empty. */
    readonly transitions_to: readonly { readonly id: string }[];
  }[];
}

interface Step {
  readonly id: string;
  readonly name: string;
}

export interface EditedWebhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly triggers: Triggers;
  readonly last_modified: string;
}

interface WebhookDialogProps {
  readonly project: string;
  /** Absent: a new one. */
  readonly webhook?: EditedWebhook | undefined;
  readonly onClose: () => void;
  /** @param secret of a new one */
  readonly onSaved: (name: string, secret: string | undefined) => void;
}

/** Registers a webhook or changes one: name, URL, and what it notifies of. */
export function WebhookDialog(props: WebhookDialogProps) {
  const { loading } = messages();
  const texts = webhookTexts();
  const { project, webhook, onClose } = props;
  const unsaved = useUnsaved('webhook', project, webhook?.id);
  const object = useTagged<EditedWebhook>(webhook && `admin/projects/${project}/webhooks/${webhook.id}`);
  return (
    <Dialog title={webhook ? texts.editOf(webhook.name) : texts.addTitle} onClose={onClose} isForm>
      <Failure error={object.failure} onRetry={() => void object.reload()} />
      {webhook && !object.value ? (
        <p class="loading">{loading}</p>
      ) : (
        <WebhookForm key={object.key} {...props} object={object} unsaved={unsaved} />
      )}
    </Dialog>
  );
}

interface WebhookFormProps extends WebhookDialogProps {
  readonly object: TaggedObject<EditedWebhook>;
  readonly unsaved: UnsavedInput;
}

function WebhookForm({ project, object, unsaved, onSaved }: WebhookFormProps) {
  const texts = webhookTexts();
  const webhook = object.value;
  const { run, error, isBusy } = useAct();
  const { ask, dialog } = useQuestion();
  const chosen = webhook?.triggers.delivery_api_content_changes ?? [];
  const isEverything = useSignal(
    chosen.length === 0 && (webhook?.triggers.workflow_step_changes.length ?? 0) === 0,
  );

  const moves = webhook?.triggers.workflow_step_changes ?? [];
  const steps = useQuery({
    queryKey: [project, 'workflow'],
    queryFn: () => get<readonly Step[]>(`manage/projects/${project}/workflow`),
  });
  const isNothingChosen = useSignal(false);
  /** Names of groups of boxes; what is stored for the others is sent as it is: an empty list means all, also later ones. */
  const touched = useRef(new Set<string>());

  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const name = String(given.get('name'));
    const triggers = {
      delivery_api_content_changes: isEverything.value
        ? []
        : [
            ...chosen.filter(({ type }) => !touched.current.has(type)),
            ...TYPES.flatMap((type) => {
              const operations = touched.current.has(type) ? given.getAll(type).map(String) : [];
              return operations.length > 0 ? [{ type, operations }] : [];
            }),
          ],
      workflow_step_changes: isEverything.value ? [] : chosenMoves(given.getAll(STEPS).map(String)),
    };
    // Without any trigger, a webhook would be notified of everything.
    isNothingChosen.value = !isEverything.value && Object.values(triggers).every((all) => all.length === 0);
    if (isNothingChosen.value) return;
    const body = { name, url: given.get('url'), triggers };
    return run(async () => {
      if (webhook) {
        await object.write('PUT', `admin/projects/${project}/webhooks/${webhook.id}`, body);
        onSaved(name, undefined);
      } else {
        const { secret } = await call<{ readonly secret: string }>(
          'POST',
          `manage/projects/${project}/webhooks`,
          body,
        );
        onSaved(name, secret);
      }
      void unsaved.clear();
      announce(texts.saved(name));
    });
  };
  const chosenMoves = (chosenSteps: readonly string[]): Triggers['workflow_step_changes'] => {
    if (!touched.current.has(STEPS)) return moves;
    return chosenSteps.length === 0
      ? []
      : [{ type: MOVED, transitions_to: chosenSteps.map((id) => ({ id })) }];
  };
  const checkedSteps = (all: readonly Step[]) =>
    all.flatMap(({ id }) =>
      moves.some(({ transitions_to: to }) => to.length === 0 || to.some((one) => one.id === id)) ? [id] : [],
    );
  const remove = (shown: EditedWebhook) => {
    const { id, name } = shown;
    const path = `manage/projects/${project}/webhooks/${id}`;
    ask({
      title: texts.removeOf(name),
      plan: texts.removePlan,
      act: texts.remove,
      run: () => actOnShown(path, shown, ['last_modified'], ['DELETE', path]),
      done() {
        void unsaved.clear();
        announce(texts.removed(name));
        onSaved(name, undefined);
      },
    });
  };

  return (
    <>
      <UnsavedForm unsaved={unsaved} onSubmit={(event) => void save(event)}>
        <Field label={texts.name} name="name" required maxLength={200} defaultValue={webhook?.name ?? ''} />
        <Field
          label={texts.url}
          hint={texts.urlHint}
          name="url"
          type="url"
          required
          maxLength={250}
          defaultValue={webhook?.url ?? ''}
        />
        <fieldset>
          <legend>{texts.triggers}</legend>
          {([true, false] as const).map((value) => (
            <label key={String(value)} class="check">
              <input
                type="radio"
                name="which"
                checked={isEverything.value === value}
                onChange={() => {
                  isEverything.value = value;
                }}
              />{' '}
              {value ? texts.everything : texts.chosen}
            </label>
          ))}
        </fieldset>
        <div class="columns" hidden={isEverything.value}>
          {TYPES.map((type) => {
            const change = chosen.find((one) => one.type === type);
            const all = change?.operations.length === 0;
            return (
              <Checks
                key={type}
                legend={texts.types[type] ?? type}
                name={type}
                options={OPERATIONS[type].map((value) => ({ value, text: texts.operations[value] ?? value }))}
                checked={all ? OPERATIONS[type] : (change?.operations ?? [])}
                onChange={() => touched.current.add(type)}
              />
            );
          })}
          {steps.data && (
            <Checks
              legend={texts.moves}
              name={STEPS}
              options={steps.data.map(({ id, name }) => ({ value: id, text: stepName(name) }))}
              checked={checkedSteps(steps.data)}
              onChange={() => touched.current.add(STEPS)}
            />
          )}
        </div>
        {isNothingChosen.value && (
          <p class="failure" role="alert">
            {texts.chooseOne}
          </p>
        )}
        <Conflict object={object} labels={{ name: texts.name, url: texts.url, triggers: texts.triggers }} />
        <Failure error={error.value} />
        <FormActions submit={texts.save} isDisabled={isBusy.value}>
          {webhook && (
            <button type="button" disabled={isBusy.value} onClick={() => remove(webhook)}>
              {texts.remove} …
            </button>
          )}
        </FormActions>
      </UnsavedForm>
      {dialog}
    </>
  );
}

/** All projects have the same steps. */
function stepName(name: string): string {
  const { steps } = webhookTexts();
  return Object.entries(steps).find(([codename]) => codename === name.toLowerCase())?.[1] ?? name;
}

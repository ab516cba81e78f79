import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { call } from '../api.ts';
import { LocationChecks, locationsIn } from '../list/location-checks.tsx';
import { type Named, useLocations } from '../list/project-data.ts';
import { messages } from '../messages/messages.ts';
import { renameTexts } from '../messages/rename.ts';
import { Conflict } from '../parts/conflict.tsx';
import { Dialog, FormActions } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { Field } from '../parts/field.tsx';
import { UnsavedForm, type UnsavedInput, useUnsaved } from '../parts/unsaved-form.tsx';
import { useAct } from '../parts/use-act.ts';
import { type TaggedObject, useTagged } from '../parts/use-tagged.ts';
import type { Plan } from './act-data.ts';
import { Finding, nameOf } from './plan-text.tsx';

/** What the dialog changes of an item, as the management API has it. */
interface Place {
  readonly name: string;
  readonly codename: string;
  readonly sitemap_locations: readonly { readonly id: string }[];
}

/** The item after the change, and who notices it. */
interface Impact extends Place, Pick<Plan, 'shown_by' | 'webhook_count' | 'webhooks'> {
  /** Languages in which the item is public. */
  readonly languages: readonly Named[];
}

interface RenameDialogProps {
  readonly project: string;
  readonly item: string;
  /** @param isChanged something may have changed */
  readonly onClose: (isChanged: boolean) => void;
}

/** Changes name, codename and sitemap locations of an item, after it has shown what readers notice; and the way back. */
export function RenameDialog({ project, item, onClose }: RenameDialogProps) {
  const texts = renameTexts();
  const unsaved = useUnsaved('place', project, item);
  const object = useTagged<Place>(`manage/projects/${project}/items/${item}`);
  const done = useSignal<string | undefined>(undefined);
  const isWriting = useSignal(false);
  const isChanged = done.value !== undefined;
  return (
    <Dialog
      title={texts.title}
      isForm={!isChanged}
      {...(!isWriting.value && { onClose: () => onClose(isChanged) })}
    >
      <Failure error={object.failure} onRetry={() => void object.reload()} />
      {object.value ? (
        <RenameForm
          key={object.key}
          {...{ project, item, unsaved, done, isWriting }}
          object={object}
          place={object.value}
          onClose={() => onClose(isChanged)}
        />
      ) : (
        object.failure === undefined && <p class="loading">{messages().loading}</p>
      )}
    </Dialog>
  );
}

interface RenameFormProps {
  readonly project: string;
  readonly item: string;
  readonly object: TaggedObject<Place>;
  readonly place: Place;
  readonly unsaved: UnsavedInput;
  /** What was done, in words. */
  readonly done: { value: string | undefined };
  /** Set while a change is on its way: the dialog stays, because it has to say what became of it. */
  readonly isWriting: { value: boolean };
  readonly onClose: () => void;
}

function RenameForm(props: RenameFormProps) {
  const { project, item, object, place, unsaved, done, isWriting, onClose } = props;
  const texts = renameTexts();
  const { run, error, isBusy } = useAct();
  const locations = useLocations(project, true);
  /** What the change replaces; undo writes it. */
  const before = useSignal(place);
  const written = useSignal<Place | undefined>(undefined);
  const body = useSignal<Place | undefined>(undefined);
  const impact = useSignal<Impact | undefined>(undefined);
  const review = () =>
    run(async () => {
      if (!unsaved.form) return;
      const given = new FormData(unsaved.form);
      const asked = {
        name: String(given.get('name')).trim(),
        codename: String(given.get('codename')).trim(),
        sitemap_locations: locationsIn(unsaved.form, before.value.sitemap_locations),
      };
      impact.value = await call<Impact>('POST', `admin/projects/${project}/items/${item}/impact`, asked);
      body.value = asked;
    });
  const write = (next: Place, text: string) =>
    run(async () => {
      isWriting.value = true;
      try {
        written.value = await object.write<Place>('PUT', `manage/projects/${project}/items/${item}`, next);
      } catch (failure) {
        // With the form again: what others made of the item is shown there.
        impact.value = undefined;
        throw failure;
      } finally {
        isWriting.value = false;
      }
      void unsaved.clear();
      done.value = text;
    });
  const undo = () => write(before.value, texts.undone);
  const plan = impact.value;
  const isEdited = plan === undefined;
  // The button that led here is gone.
  useLayoutEffect(() => {
    if (isEdited) unsaved.form?.querySelector('input')?.focus();
  }, [isEdited]);
  const failure = <Failure error={error.value} />;
  const labels = { name: texts.name, codename: texts.codename, sitemap_locations: texts.sitemap };
  if (done.value !== undefined)
    return (
      <Step key={done.value} label={done.value}>
        <p>{done.value}</p>
        {failure}
        <Conflict
          object={{ ...object, value: written.value, takeTheirs: onClose }}
          labels={labels}
          onKeep={() => void undo()}
        />
        <div class="actions">
          {done.value === texts.saved && (
            <button type="button" disabled={isBusy.value} onClick={() => void undo()}>
              {texts.undo}
            </button>
          )}
          <button type="button" class="primary" onClick={onClose}>
            {texts.close}
          </button>
        </div>
      </Step>
    );
  return (
    <>
      <UnsavedForm
        unsaved={unsaved}
        hidden={plan !== undefined}
        onSubmit={(event) => {
          event.preventDefault();
          void review();
        }}
      >
        <Field label={texts.name} name="name" required maxLength={50} defaultValue={place.name} />
        <Field
          label={texts.codename}
          hint={texts.codenameHint}
          name="codename"
          maxLength={60}
          defaultValue={place.codename}
        />
        <LocationChecks
          project={project}
          legend={texts.locations}
          checked={place.sitemap_locations.map(({ id }) => id)}
        />
        {failure}
        <Conflict
          object={{
            ...object,
            value: before.value,
            keepMine() {
              before.value = object.theirs ?? before.value;
              object.keepMine();
            },
          }}
          labels={labels}
        />
        <FormActions submit={texts.review} isDisabled={isBusy.value || !locations.data} />
      </UnsavedForm>
      {plan && (
        <Step label={isSame(before.value, plan) ? texts.nothing : texts.changes}>
          <ImpactText project={project} place={before.value} impact={plan} />
          <div class="actions">
            <button type="button" onClick={() => (impact.value = undefined)}>
              {texts.back}
            </button>
            <button
              type="button"
              class="primary"
              disabled={isBusy.value || isSame(before.value, plan)}
              onClick={() => body.value && void write(body.value, texts.saved)}
            >
              {texts.save}
            </button>
          </div>
        </Step>
      )}
    </>
  );
}

interface StepProps {
  /** What screen readers say of it. */
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Gets the focus, because the button that led here is gone. */
function Step({ label, children }: StepProps) {
  const section = useRef<HTMLFieldSetElement>(null);
  useLayoutEffect(() => section.current?.focus(), []);
  return (
    <fieldset ref={section} class="plain" tabIndex={-1} aria-label={label}>
      {children}
    </fieldset>
  );
}

interface ImpactTextProps {
  readonly project: string;
  readonly place: Place;
  readonly impact: Impact;
}

function ImpactText({ project, place, impact }: ImpactTextProps) {
  const texts = renameTexts();
  const { bulk } = messages();
  const locations = useLocations(project, true);
  if (isSame(place, impact)) return <p>{texts.nothing}</p>;
  const placesOf = ({ sitemap_locations }: Place) =>
    sitemap_locations.map(({ id }) => locations.data?.find((one) => one.id === id)?.name ?? id).join(', ') ||
    texts.noLocation;
  const changes = [
    [texts.name, place.name, impact.name],
    [texts.codename, place.codename, impact.codename],
    [texts.sitemap, placesOf(place), placesOf(impact)],
  ] as const;
  const isPublic = impact.languages.length > 0;
  const unseen = impact.shown_by.count > 0 ? texts.onlyLinked : texts.notPublic;
  return (
    <>
      <p>{texts.changes}</p>
      <ul>
        {changes
          .filter(([, before, after]) => before !== after)
          .map(([what, before, after]) => (
            <li key={what}>{texts.change(what, before, after)}</li>
          ))}
      </ul>
      <p>{isPublic ? texts.atOnce(impact.languages.map(({ name }) => name).join(', ')) : unseen}</p>
      {isPublic && place.codename !== impact.codename && <p>{texts.gone(place.codename)}</p>}
      <Finding title={bulk.shownBy} count={impact.shown_by.count} lines={impact.shown_by.first.map(nameOf)} />
      <Finding
        title={bulk.webhooks}
        count={impact.webhook_count}
        lines={impact.webhooks.map(({ name }) => name)}
      />
    </>
  );
}

function isSame(one: Place, other: Place): boolean {
  const textOf = ({ name, codename, sitemap_locations }: Place) =>
    JSON.stringify([name, codename, sitemap_locations.map(({ id }) => id)]);
  return textOf(one) === textOf(other);
}

import { useSignal } from '@preact/signals';
import { previewTexts } from '../../../messages/preview.ts';
import { Conflict } from '../../../parts/conflict.tsx';
import { Dialog, FormActions } from '../../../parts/dialog.tsx';
import { Edited } from '../../../parts/edited.tsx';
import { Failure } from '../../../parts/failure.tsx';
import { Choice, Field } from '../../../parts/field.tsx';
import type { ValueSource } from '../../../parts/form-values.ts';
import { UnsavedForm, type UnsavedInput, useUnsaved } from '../../../parts/unsaved-form.tsx';
import { useAct } from '../../../parts/use-act.ts';
import { type TaggedObject, useTagged } from '../../../parts/use-tagged.ts';
import { useForm } from '../form-context.ts';
import type { Named, Reference } from '../managed.ts';
import { PLACEHOLDERS, type PreviewUrl, type PreviewUrls } from './preview-urls.ts';

/** Edits where the site shows drafts, by type and language. */
export function PreviewUrlsDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = previewTexts();
  const { project } = useForm();
  const path = `admin/projects/${project}/preview-urls`;
  const unsaved = useUnsaved('preview', project);
  const object = useTagged<PreviewUrls>(path);
  return (
    <Dialog title={texts.configureTitle} onClose={onClose} isForm>
      <p class="hint">{texts.configureHint(PLACEHOLDERS.join(', '))}</p>
      <Edited object={object} isNew={false}>
        <UrlsForm path={path} object={object} unsaved={unsaved} onClose={onClose} />
      </Edited>
    </Dialog>
  );
}

/** With an id of its own: a key that is held down on its button removes no second one. */
interface Row extends PreviewUrl {
  readonly key: string;
}

const rowOf = (url: PreviewUrl): Row => ({ ...url, key: crypto.randomUUID() });

interface UrlsFormProps {
  readonly path: string;
  readonly object: TaggedObject<PreviewUrls>;
  readonly unsaved: UnsavedInput;
  readonly onClose: () => void;
}

function UrlsForm({ path, object, unsaved, onClose }: UrlsFormProps) {
  const texts = previewTexts();
  const { model, item } = useForm();
  const { run, error, isBusy } = useAct();
  const before = object.value?.preview_urls ?? [];
  const rows = useSignal<readonly Row[]>(before.map(rowOf));
  const change = (at: number, change: Partial<PreviewUrl>) => {
    rows.value = rows.value.map((row, index) => (index === at ? { ...row, ...change } : row));
  };
  const { types, languages } = model;
  /** Rows can be added and removed, so a value is an address, and its name what the address is for. */
  const own: ValueSource = {
    initial: new Map(namesOf(before).map((name, at) => [name, before[at]!.url])),
    read() {
      const names = namesOf(rows.peek());
      const given = rows.peek().flatMap(({ url }, at) => (url === '' ? [] : [[names[at]!, url] as const]));
      return new Map([...namesOf(before).map((name) => [name, ''] as const), ...given]);
    },
    textOf(name) {
      const [type = '', language = ''] = name.split(' ');
      const of = [types.get(type)?.name, languages.find(({ id }) => id === language)?.name];
      return { label: [texts.url, ...of.filter(Boolean)].join(', '), text: own.read().get(name) };
    },
    write(name, url) {
      const [type = '', language = ''] = name.split(' ');
      // What does not exist any more cannot be chosen.
      if (type !== '' && !types.has(type)) return false;
      if (language !== '' && !languages.some(({ id }) => id === language)) return false;
      const place = namesOf(rows.peek()).indexOf(name);
      const row = rowOf({ type: referenceTo(type), language: referenceTo(language), url });
      const start = place < 0 ? rows.peek().length : place;
      rows.value = rows.peek().toSpliced(start, place < 0 ? 0 : 1, ...(url === '' ? [] : [row]));
      return true;
    },
  };
  const save = () =>
    run(async () => {
      await object.write('PUT', path, {
        preview_urls: rows.value.map(({ type, language, url }) => ({ type, language, url })),
      });
      void unsaved.clear();
      onClose();
    });
  return (
    <UnsavedForm
      unsaved={unsaved}
      own={own}
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void save();
      }}
    >
      {rows.value.map((row, index) => (
        <div class="filters" key={row.key}>
          <OneOf
            label={texts.type}
            given={row.type}
            of={[...model.types.values()]}
            onChange={(type) => change(index, { type })}
          />
          <OneOf
            label={texts.language}
            given={row.language}
            of={model.languages}
            onChange={(language) => change(index, { language })}
          />
          <Field
            label={texts.url}
            type="text"
            inputMode="url"
            required
            value={row.url}
            onInput={(event) => change(index, { url: event.currentTarget.value })}
          />
          <button
            type="button"
            aria-label={texts.remove(index + 1)}
            onClick={() => (rows.value = rows.value.filter((_, at) => at !== index))}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        onClick={() =>
          (rows.value = [...rows.value, rowOf({ type: { id: item.type.id }, language: null, url: '' })])
        }
      >
        {texts.add}
      </button>
      <Failure error={error.value} />
      <Conflict object={object} labels={{ preview_urls: texts.configureTitle }} onKeep={() => void save()} />
      <FormActions submit={texts.save} isDisabled={isBusy.value} />
    </UnsavedForm>
  );
}

/** Of each row: ids of its type and language, and how many rows before it are for the same. */
function namesOf(rows: readonly PreviewUrl[]): readonly string[] {
  const counts = new Map<string, number>();
  return rows.map(({ type, language }) => {
    const name = `${type?.id ?? ''} ${language?.id ?? ''}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return `${name} ${count}`;
  });
}

const referenceTo = (id: string): Reference | null => (id === '' ? null : { id });

interface OneOfProps {
  readonly label: string;
  readonly given: Reference | null;
  readonly of: readonly Named[];
  readonly onChange: (chosen: Reference | null) => void;
}

function OneOf({ label, given, of, onChange }: OneOfProps) {
  return (
    <Choice
      label={label}
      value={given?.id ?? ''}
      options={[
        { value: '', text: previewTexts().all },
        ...of.map(({ id, name }) => ({ value: id, text: name })),
      ]}
      onChange={(id) => onChange(referenceTo(id))}
    />
  );
}

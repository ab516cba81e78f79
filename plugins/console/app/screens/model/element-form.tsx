import { useLayoutEffect, useRef } from 'preact/hooks';
import { modelTexts } from '../../messages/model.ts';
import { Choice, Field } from '../../parts/field.tsx';
import type { ContentModel } from '../item/form-groups.ts';
import {
  type Definition,
  type Element,
  type ElementSettings,
  isNamed,
  isNew,
  SETTINGS,
} from './definition.ts';
import { CountInput, NumberInput, ReferencesInput, TextArea, TextLimitInput } from './limit-inputs.tsx';
import { Names } from './names.tsx';
import { OptionsList } from './options-list.tsx';
import '../../style/model.css';

interface ElementFormProps {
  readonly element: Element;
  readonly definition: Definition;
  readonly model: ContentModel;
  /** Its first field gets the focus. */
  readonly hasFocus: boolean;
  readonly onChange: (element: Element, field?: string) => void;
}

/** All settings of an element. */
export function ElementForm({ element, definition, model, hasFocus, onChange }: ElementFormProps) {
  const form = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (hasFocus) form.current?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, []);
  const { type, id } = element;
  const others = definition.elements.filter((other) => other.id !== id);
  const set = <Name extends keyof ElementSettings>(name: Name, value: ElementSettings[Name] | undefined) =>
    onChange({ ...element, [name]: value }, `${id} ${name}`);
  return (
    <div ref={form} class="element-form">
      {isNamed(type) && (
        <Names
          value={element}
          taken={others.map(({ codename }) => codename)}
          onChange={(changed, field) => onChange(changed, field)}
        />
      )}
      <FixedPart element={element} model={model} onChange={(name, value) => set(name, value)} />
      {SETTINGS[type].map((name) => (
        <Setting key={name} name={name} element={element} definition={definition} model={model} set={set} />
      ))}
      {type === 'multiple_choice' && (
        <OptionsList
          element={id}
          options={element.options ?? []}
          onChange={(options, field) => onChange({ ...element, options }, field)}
        />
      )}
    </div>
  );
}

interface FixedPartProps {
  readonly element: Element;
  readonly model: ContentModel;
  readonly onChange: (name: 'taxonomy_group' | 'snippet', value: { readonly id: string }) => void;
}

/** The taxonomy group or snippet, which is chosen once. */
function FixedPart({ element, model, onChange }: FixedPartProps) {
  const t = modelTexts();
  const { type } = element;
  if (type !== 'taxonomy' && type !== 'snippet') return null;
  const name = type === 'taxonomy' ? 'taxonomy_group' : 'snippet';
  const parts = [...(type === 'taxonomy' ? model.taxonomies : model.snippets).values()];
  const chosen = element[name]?.id ?? '';
  if (!isNew(element))
    return (
      <p>
        {t.settings[name]}: {parts.find(({ id }) => id === chosen)?.name ?? chosen}
      </p>
    );
  return (
    <Choice
      label={t.settings[name]}
      value={chosen}
      options={[
        ...(chosen === '' ? [{ value: '', text: t.chooseFirst }] : []),
        ...parts.map(({ id, name: text }) => ({ value: id, text })),
      ]}
      onChange={(id) => onChange(name, { id })}
    />
  );
}

interface SettingProps {
  readonly name: keyof ElementSettings;
  readonly element: Element;
  readonly definition: Definition;
  readonly model: ContentModel;
  readonly set: <Name extends keyof ElementSettings>(
    name: Name,
    value: ElementSettings[Name] | undefined,
  ) => void;
}

function Setting({ name, element, definition, model, set }: SettingProps) {
  const t = modelTexts();
  const label = t.settings[name];
  switch (name) {
    case 'guidelines':
      return (
        <TextArea
          label={t.guidelines}
          value={element.guidelines ?? ''}
          onInput={(text) => set(name, text === '' && element.type !== 'guidelines' ? null : text)}
        />
      );
    case 'is_required':
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={element.is_required ?? false}
            onChange={({ currentTarget: { checked } }) => set(name, checked)}
          />{' '}
          {t.required}
        </label>
      );
    case 'content_group': {
      const groups = definition.content_groups ?? [];
      const [first] = groups;
      if (!first) return null;
      return (
        <Choice
          label={t.groupOf}
          value={element.content_group?.id ?? first.id}
          options={groups.map((group) => ({ value: group.id, text: group.name || t.unnamed }))}
          onChange={(id) => set(name, { id })}
        />
      );
    }
    case 'maximum_text_length':
      return <TextLimitInput label={label} value={element[name]} onChange={(value) => set(name, value)} />;
    case 'image_width_limit':
    case 'image_height_limit':
    case 'asset_count_limit':
    case 'item_count_limit':
    case 'term_count_limit':
      return <CountInput label={label} value={element[name]} onChange={(value) => set(name, value)} />;
    case 'maximum_image_size':
    case 'maximum_file_size':
      return <NumberInput label={label} value={element[name]} onChange={(value) => set(name, value)} />;
    case 'allowed_image_types':
    case 'allowed_file_types':
      return (
        <Choice
          label={label}
          value={element[name] ?? 'any'}
          options={(['any', 'adjustable'] as const).map((value) => ({ value, text: t.fileTypes[value] }))}
          onChange={(value) => set(name, value as 'any' | 'adjustable')}
        />
      );
    case 'allowed_content_types':
      return (
        <ReferencesInput
          label={label}
          hint={t.allTypes}
          options={[...model.types.values()].map(({ id, name: text }) => ({ value: id, text }))}
          value={element[name] ?? []}
          onChange={(value) => set(name, value)}
        />
      );
    case 'mode':
      return (
        <Choice
          label={label}
          value={element.mode ?? 'multiple'}
          options={(['single', 'multiple'] as const).map((value) => ({ value, text: t.modes[value] }))}
          onChange={(value) => set(name, value as 'single' | 'multiple')}
        />
      );
    case 'depends_on':
      return <SlugSource element={element} definition={definition} model={model} set={set} />;
    case 'source_url':
      return (
        <Field
          label={label}
          type="url"
          required
          value={element.source_url ?? ''}
          onInput={({ currentTarget }) => set(name, currentTarget.value)}
        />
      );
    case 'json_parameters':
      return (
        <TextArea
          label={label}
          value={element.json_parameters ?? ''}
          onInput={(text) => set(name, text === '' ? null : text)}
        />
      );
    case 'allowed_elements':
      return (
        <ReferencesInput
          label={label}
          options={definition.elements
            .filter((other) => other.id !== element.id && isNamed(other.type))
            .map((other) => ({ value: other.id, text: other.name || t.unnamed }))}
          value={element[name] ?? []}
          onChange={(value) => set(name, value)}
        />
      );
    default:
      return null;
  }
}

/** The text, of the type or of a snippet in it, that a URL slug is made from. */
function SlugSource({ element, definition, model, set }: Omit<SettingProps, 'name'>) {
  const t = modelTexts();
  const own = definition.elements
    .filter(({ type }) => type === 'text')
    .map(({ id, name }) => ({ value: id, text: name || t.unnamed, reference: { element: { id } } }));
  const ofSnippets = definition.elements.flatMap(({ snippet: reference }) => {
    const snippet = reference && model.snippets.get(reference.id);
    return (snippet?.elements ?? []).flatMap((inner) =>
      inner.type === 'text' && snippet
        ? [
            {
              value: `${snippet.id} ${inner.id}`,
              text: `${snippet.name}: ${inner.name}`,
              reference: { element: { id: inner.id }, snippet: { id: snippet.id } },
            },
          ]
        : [],
    );
  });
  const sources = [...own, ...ofSnippets];
  const chosen = element.depends_on;
  const value = chosen ? `${chosen.snippet ? `${chosen.snippet.id} ` : ''}${chosen.element.id}` : '';
  return (
    <Choice
      label={t.settings.depends_on}
      value={value}
      options={[...(value === '' ? [{ value: '', text: t.chooseFirst }] : []), ...sources]}
      onChange={(next) => set('depends_on', sources.find((source) => source.value === next)?.reference)}
    />
  );
}

import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { itemTexts } from '../../messages/item.ts';
import { formatNumber } from '../../messages/messages.ts';
import { editableText, type NotEditable } from '../../rich-text/editable-text.ts';
import { LARGEST } from '../../rich-text/largest.ts';
import type { Omission } from '../../rich-text/paste/clean-html.ts';
import type { PasteHost } from '../../rich-text/paste/paste.ts';
import { RichTextEditor } from '../../rich-text/rich-text-editor.tsx';
import { uploadAsset } from './assets.tsx';
import { AtomCard } from './atom-card.tsx';
import { copiedComponent, rememberComponents } from './copied-components.ts';
import { useContentLanguage, useForm } from './form-context.ts';
import type { InputProps } from './input-props.ts';
import type { ValueDefinition } from './managed.ts';
import { MarkupInput } from './markup-input.tsx';
import { RichTextToolbar } from './rich-text-toolbar.tsx';

interface RichTextInputProps extends InputProps {
  readonly definition: Extract<ValueDefinition, { readonly type: 'rich_text' }>;
}

export function RichTextInput({ element, id, describedBy, isReadOnly, definition }: RichTextInputProps) {
  const { project, model } = useForm();
  const lang = useContentLanguage();
  const omitted = useSignal<ReadonlySet<Omission>>(new Set());
  const isUploading = useSignal(false);
  /** Size of a text that was not pasted. */
  const refused = useSignal<number | undefined>(undefined);
  const read = useMemo(() => editableText(String(element.value.peek())), [element]);
  /** Why a text that was put in from outside cannot be edited where it is shown. */
  const obstacle = useSignal<NotEditable | undefined>(undefined);
  const why = typeof read === 'string' ? read : obstacle.value;
  if (typeof read === 'string' || why !== undefined)
    return (
      <>
        <p class="notice">{itemTexts().richText.markup[why ?? 'large'](formatNumber(LARGEST))}</p>
        <MarkupInput element={element} describedBy={describedBy} isReadOnly={isReadOnly} />
      </>
    );
  const host: PasteHost = {
    upload: async (image) => (await uploadAsset(project, image)).id,
    report(left, isBusy) {
      refused.value = undefined;
      omitted.value = left;
      isUploading.value = isBusy;
    },
    refuse(size) {
      omitted.value = new Set();
      refused.value = size;
    },
    copyComponent(from, copy) {
      const own = element.components.get(from)?.json();
      if (from === copy) return own !== undefined;
      const component = own ?? copiedComponent(from);
      const type = component && model.types.get(component.type.id);
      if (type) element.addComponent(copy, type, component.elements);
      return type !== undefined;
    },
    rememberComponents(ids) {
      rememberComponents(ids.flatMap((id) => element.components.get(id)?.json() ?? []));
    },
  };
  const { richText } = itemTexts();
  return (
    <>
      <RichTextEditor
        labelledBy={`${id}-label`}
        describedBy={describedBy}
        lang={lang}
        value={element.value}
        read={read}
        isReadOnly={isReadOnly}
        host={host}
        onChange={(html) => element.set(html)}
        onNotEditable={(reason) => (obstacle.value = reason)}
        drawAtom={(atom) => <AtomCard atom={atom} element={element} isReadOnly={isReadOnly} />}
        drawToolbar={(view, state) => (
          <RichTextToolbar view={view} state={state} element={element} definition={definition} />
        )}
      />
      <div role="status">
        {isUploading.value && <p class="hint">{richText.uploading}</p>}
        {refused.value !== undefined && (
          <p class="notice">{richText.notPasted(formatNumber(refused.value), formatNumber(LARGEST))}</p>
        )}
        {omitted.value.size > 0 && (
          <p class="notice">
            {richText.pasted} {[...omitted.value].map((one) => richText.omitted[one]).join(', ')}.
          </p>
        )}
      </div>
    </>
  );
}

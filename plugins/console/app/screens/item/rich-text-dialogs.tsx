import { useSignal } from '@preact/signals';
import type { EditorView } from 'prosemirror-view';
import { BASE } from '../../api.ts';
import { itemTexts } from '../../messages/item.ts';
import { Cancel, Dialog, FormActions } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { itemPath } from '../../parts/item-path.ts';
import { UnsavedForm, type UnsavedInput, useUnsaved } from '../../parts/unsaved-form.tsx';
import { insertBlock, linkAt, setLink } from '../../rich-text/block-commands.ts';
import { type LinkKind, webAddress } from '../../rich-text/link.ts';
import { nodes } from '../../rich-text/schema.ts';
import { useForm } from './form-context.ts';
import type { ContentType } from './managed.ts';
import type { Picked } from './picked.ts';
import { AssetPicker, ItemPicker } from './picker-dialog.tsx';
import { useItem, useReferenceName } from './reference-inputs.tsx';

interface ViewDialogProps {
  readonly view: EditorView;
  readonly onClose: () => void;
}

/** @param of what the dialog is of: its kind, and what it changes */
function useUnsavedHere(...of: readonly string[]): UnsavedInput {
  const { project, item, language } = useForm();
  return useUnsaved(...of, project, item.id, language);
}

/** Of an item in this console; undefined: the address is another one. */
function itemAt(address: string, project: string): string | undefined {
  const items = `${location.origin}${BASE}${itemPath(project, { id: '' })}`;
  if (!address.startsWith(items)) return undefined;
  return /^[0-9a-f-]{36}(?=$|[/?#])/.exec(address.slice(items.length))?.[0];
}

const KINDS: readonly LinkKind[] = ['web', 'item', 'asset', 'mail'];

/** Makes, changes or removes the link of the selected text. */
export function LinkDialog({ view, onClose }: ViewDialogProps) {
  const { richText, apply } = itemTexts();
  const present = linkAt(view.state);
  const kind = useSignal<LinkKind>(present?.attributes.kind ?? 'web');
  const { selection } = view.state;
  const needsText = selection.empty && !present;
  const unsaved = useUnsavedHere('link', present?.attributes.target ?? '');
  const typed = useSignal(present?.attributes.target ?? '');
  const known = itemAt(typed.value, useForm().project);
  const item = useItem(known ?? '', known !== undefined).data;
  /** The item or asset that the link leads to already. */
  const reference =
    present?.attributes.kind === kind.value && (kind.value === 'item' || kind.value === 'asset')
      ? { kind: kind.value, id: present.attributes.target }
      : undefined;
  const isPicking = useSignal(false);

  /** With what is typed in the form, which a picker may have replaced. */
  const finish = (target: string, name: string) => {
    const form = new FormData(unsaved.form);
    const given = (field: string) => String(form.get(field) ?? '').trim() || null;
    const attributes = {
      kind: kind.value,
      target,
      subject: kind.value === 'mail' ? given('subject') : null,
      newWindow: form.get('window') === null ? null : 'true',
      title: given('title'),
    };
    void unsaved.clear();
    onClose();
    setLink(attributes, given('text') ?? name)(view.state, view.dispatch);
  };

  const picker = (onCanceled: () => void) => {
    const props = {
      onClose: onCanceled,
      onPick: ([one]: readonly Picked[]) => one && finish(one.id, one.name),
    };
    return kind.value === 'item' ? <ItemPicker types={[]} {...props} /> : <AssetPicker {...props} />;
  };

  if ((kind.value === 'item' || kind.value === 'asset') && !reference) return picker(onClose);
  const isMail = kind.value === 'mail';
  const target = present?.attributes.kind === kind.value ? present.attributes.target : '';
  return (
    <>
      <Dialog title={richText.link} onClose={onClose} isForm>
        <UnsavedForm
          unsaved={unsaved}
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            if (reference) return finish(reference.id, '');
            const address = String(new FormData(event.target as HTMLFormElement).get('target')).trim();
            finish(isMail ? address : webAddress(address), address);
          }}
        >
          <Choice
            label={richText.linkTo}
            value={kind.value}
            options={KINDS.map((value) => ({ value, text: richText.linkKinds[value] }))}
            onChange={(value) => {
              kind.value = value as LinkKind;
            }}
          />
          {reference ? (
            <p>
              <Target {...reference} />{' '}
              <button type="button" onClick={() => (isPicking.value = true)}>
                {richText.chooseOther}
              </button>
            </p>
          ) : (
            <Field
              key={kind.value}
              label={isMail ? richText.mailAddress : richText.address}
              name="target"
              type={isMail ? 'email' : 'text'}
              required
              defaultValue={target}
              onInput={(event) => (typed.value = event.currentTarget.value)}
            />
          )}
          <div role="status">
            {!isMail && item && (
              <p class="notice">
                {richText.isItem(item.name)}{' '}
                <button
                  type="button"
                  onClick={() => {
                    kind.value = 'item';
                    finish(item.id, item.name);
                  }}
                >
                  {richText.linkToItem}
                </button>
              </p>
            )}
          </div>
          {isMail && (
            <Field label={richText.subject} name="subject" defaultValue={present?.attributes.subject ?? ''} />
          )}
          {needsText && <Field label={richText.linkText} name="text" />}
          <Field label={richText.title} name="title" defaultValue={present?.attributes.title ?? ''} />
          {!isMail && (
            <label class="check">
              <input
                type="checkbox"
                name="window"
                defaultChecked={(present?.attributes.newWindow ?? null) !== null}
              />{' '}
              {richText.newWindow}
            </label>
          )}
          <FormActions submit={apply}>
            {present && (
              <button
                type="button"
                onClick={() => {
                  void unsaved.clear();
                  onClose();
                  setLink(undefined, '')(view.state, view.dispatch);
                }}
              >
                {richText.removeLink}
              </button>
            )}
          </FormActions>
        </UnsavedForm>
      </Dialog>
      {reference && isPicking.value && picker(() => (isPicking.value = false))}
    </>
  );
}

/** Name of what a link leads to. */
function Target({ kind, id }: { readonly kind: 'item' | 'asset'; readonly id: string }) {
  const { name, isMissing } = useReferenceName(kind, id);
  const { missing, loading, richText } = itemTexts();
  return <>{name === undefined ? (isMissing ? missing : loading) : richText.linksTo(name)}</>;
}

/** Inserts an image with its description. */
export function ImageDialog({ view, onClose }: ViewDialogProps) {
  const picked = useSignal<Picked | undefined>(undefined);
  const asset = picked.value;
  if (!asset) return <AssetPicker isImage onClose={onClose} onPick={([one]) => (picked.value = one)} />;
  return (
    <DescriptionDialog
      asset={asset.id}
      description={null}
      onClose={onClose}
      onDone={(description) => {
        onClose();
        insertBlock(nodes.figure.create({ asset: asset.id, description }))(view.state, view.dispatch);
      }}
    />
  );
}

interface DescriptionDialogProps {
  /** Id. */
  readonly asset: string;
  readonly description: string | null;
  readonly onClose: () => void;
  readonly onDone: (description: string | null) => void;
}

export function DescriptionDialog({ asset, description, onClose, onDone }: DescriptionDialogProps) {
  const { richText, apply } = itemTexts();
  const unsaved = useUnsavedHere('image description', asset);
  return (
    <Dialog title={richText.image} onClose={onClose} isForm>
      <UnsavedForm
        unsaved={unsaved}
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          void unsaved.clear();
          onDone(String(new FormData(event.target as HTMLFormElement).get('description')).trim() || null);
        }}
      >
        <Field
          label={richText.description}
          hint={richText.descriptionHint}
          name="description"
          defaultValue={description ?? ''}
        />
        <FormActions submit={apply} />
      </UnsavedForm>
    </Dialog>
  );
}

interface ComponentDialogProps {
  /** Types that the element allows. */
  readonly types: readonly ContentType[];
  readonly onPick: (type: ContentType) => void;
  readonly onClose: () => void;
}

export function ComponentDialog({ types, onPick, onClose }: ComponentDialogProps) {
  return (
    <Dialog title={itemTexts().richText.chooseType} onClose={onClose}>
      <ul class="picker">
        {types.map((type) => (
          <li key={type.id}>
            <button type="button" onClick={() => onPick(type)}>
              {type.name}
            </button>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Cancel>{itemTexts().cancel}</Cancel>
      </div>
    </Dialog>
  );
}

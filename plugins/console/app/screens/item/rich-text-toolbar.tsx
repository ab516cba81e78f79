import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { redo, undo } from 'prosemirror-history';
import type { MarkType } from 'prosemirror-model';
import type { Command, EditorState } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import { itemTexts } from '../../messages/item.ts';
import { openByKey } from '../../parts/open-by-key.ts';
import { insertBlock, levelOf, setLevel, toggleStyle } from '../../rich-text/block-commands.ts';
import { isInList, toggleList } from '../../rich-text/list-commands.ts';
import { marks, nodes } from '../../rich-text/schema.ts';
import { insertTable, isInTable, tableCommands } from '../../rich-text/table-commands.ts';
import type { ElementForm } from './element-form.ts';
import { useForm } from './form-context.ts';
import type { ValueDefinition } from './managed.ts';
import { ItemPicker } from './picker-dialog.tsx';
import { ComponentDialog, ImageDialog, LinkDialog } from './rich-text-dialogs.tsx';

interface RichTextToolbarProps {
  readonly view: EditorView;
  readonly state: EditorState;
  readonly element: ElementForm;
  readonly definition: Extract<ValueDefinition, { readonly type: 'rich_text' }>;
}

type Opened = 'link' | 'image' | 'item' | 'component';

const STYLES = [
  ['strong', 'B', 'Ctrl+B'],
  ['em', 'I', 'Ctrl+I'],
  ['code', '<>', 'Ctrl+E'],
  ['sup', 'x²', 'Ctrl+.'],
  ['sub', 'x₂', 'Ctrl+,'],
] as const;
const LEVELS = [0, 1, 2, 3, 4];
/** Components inside of each other; the service refuses deeper ones. */
const DEEPEST = 6;

/** Buttons for what the selection may become. Arrow keys move between them; Tab leaves the toolbar. */
export function RichTextToolbar({ view, state, element, definition }: RichTextToolbarProps) {
  const { richText } = itemTexts();
  const { model, depth } = useForm();
  const opened = useSignal<Opened | undefined>(undefined);
  const focused = useSignal(0);
  const run = (command: Command) => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  const close = () => {
    opened.value = undefined;
  };
  const wasOpened = useRef(false);
  useLayoutEffect(() => {
    // The browser, which gives the focus back as the dialog closes, would put the caret at the start of the text.
    if (wasOpened.current && opened.value === undefined) view.focus();
    wasOpened.current = opened.value !== undefined;
  }, [view, opened.value]);
  const types = definition.allowed_content_types.map(({ id }) => id);

  let index = 0;
  /** One of the controls; only one is reached by Tab. */
  const control = () => {
    const own = index++;
    return { tabIndex: own === focused.value ? 0 : -1, onFocus: () => (focused.value = own) };
  };
  useLayoutEffect(() => {
    // Behind a table there is one control less.
    if (focused.value >= index) focused.value = 0;
  });
  const button = (
    name: string,
    text: string,
    act: Command | (() => void),
    more: { readonly isOn?: boolean; readonly isOff?: boolean; readonly key?: string } = {},
  ) => (
    <button
      type="button"
      {...control()}
      aria-label={name}
      data-icon={text === name ? undefined : text}
      title={more.key === undefined ? name : `${name} (${more.key})`}
      aria-pressed={more.isOn}
      aria-disabled={more.isOff}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => {
        if (!more.isOff) run(act as Command);
      }}
    >
      {text === name && text}
    </button>
  );
  const isPossible = (command: Command) => command(state);
  const isStyled = (type: MarkType) => {
    const { from, to, empty, $from } = state.selection;
    return empty
      ? type.isInSet(state.storedMarks ?? $from.marks()) !== undefined
      : state.doc.rangeHasMark(from, to, type);
  };
  const dialog = (name: Opened) => () => {
    opened.value = name;
    return true;
  };

  return (
    <>
      <div
        role="toolbar"
        class="toolbar"
        aria-label={richText.toolbar(definition.name)}
        onKeyDown={moveFocus}
      >
        <select
          aria-label={richText.style}
          {...control()}
          value={String(levelOf(state))}
          onChange={(event) => run(setLevel(Number(event.currentTarget.value)))}
        >
          {LEVELS.map((level) => (
            <option
              key={level}
              value={level}
              disabled={level !== levelOf(state) && !isPossible(setLevel(level))}
            >
              {level === 0 ? richText.paragraph : richText.heading(level)}
            </option>
          ))}
        </select>
        {STYLES.map(([name, text, key]) =>
          button(richText[name], text, toggleStyle(name), { isOn: isStyled(marks[name]), key }),
        )}
        {button(richText.bullets, '•', toggleList(nodes.bullet_list), {
          isOn: isInList(state, nodes.bullet_list),
          key: 'Ctrl+Shift+8',
        })}
        {button(richText.numbers, '1.', toggleList(nodes.ordered_list), {
          isOn: isInList(state, nodes.ordered_list),
          key: 'Ctrl+Shift+7',
        })}
        {button(richText.link, richText.link, dialog('link'), {
          isOn: isStyled(marks.link),
          isOff: !state.selection.$from.parent.inlineContent,
        })}
        {button(richText.image, richText.image, dialog('image'))}
        {button(richText.item, richText.item, dialog('item'))}
        {button(richText.component, richText.component, dialog('component'), { isOff: depth >= DEEPEST })}
        {button(richText.table, richText.table, insertTable, { isOff: !isPossible(insertTable) })}
        {isInTable(state) && (
          <select
            aria-label={richText.tableActs}
            {...control()}
            value=""
            onChange={(event) => {
              const command = tableCommands[event.currentTarget.value as keyof typeof tableCommands];
              event.currentTarget.value = '';
              if (command) run(command);
            }}
          >
            <option value="">{richText.tableActs}</option>
            <option value="addRowBefore">{richText.rowBefore}</option>
            <option value="addRowAfter">{richText.rowAfter}</option>
            <option value="addColumnBefore">{richText.columnBefore}</option>
            <option value="addColumnAfter">{richText.columnAfter}</option>
            <option value="deleteRow">{richText.deleteRow}</option>
            <option value="deleteColumn">{richText.deleteColumn}</option>
            <option value="deleteTable">{richText.deleteTable}</option>
          </select>
        )}
        {button(richText.undo, '↶', undo, { isOff: !isPossible(undo), key: 'Ctrl+Z' })}
        {button(richText.redo, '↷', redo, { isOff: !isPossible(redo), key: 'Ctrl+Y' })}
      </div>
      {opened.value === 'link' && <LinkDialog view={view} onClose={close} />}
      {opened.value === 'image' && <ImageDialog view={view} onClose={close} />}
      {opened.value === 'item' && (
        <ItemPicker
          types={types}
          onClose={close}
          onPick={([one]) => {
            close();
            if (one) run(insertBlock(nodes.object.create({ kind: 'item', id: one.id })));
          }}
        />
      )}
      {opened.value === 'component' && (
        <ComponentDialog
          types={[...model.types.values()].filter(({ id }) => types.length === 0 || types.includes(id))}
          onClose={close}
          onPick={(type) => {
            close();
            const id = crypto.randomUUID();
            element.addComponent(id, type).isOpen.value = true;
            run(insertBlock(nodes.object.create({ kind: 'component', id })));
          }}
        />
      )}
    </>
  );
}

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const controls = [...event.currentTarget.querySelectorAll<HTMLElement>('button, select')];
  const at = controls.indexOf(event.target as HTMLElement);
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: controls.length - 1 - at }[event.key];
  if (step === undefined || at < 0) {
    openByKey(event);
    return;
  }
  event.preventDefault();
  controls[(at + step + controls.length) % controls.length]?.focus();
}

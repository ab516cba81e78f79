import { baseKeymap, chainCommands } from 'prosemirror-commands';
import { gapCursor } from 'prosemirror-gapcursor';
import { history, redo, undo } from 'prosemirror-history';
import { InputRule, inputRules, textblockTypeInputRule, undoInputRule } from 'prosemirror-inputrules';
import { keymap } from 'prosemirror-keymap';
import type { NodeType } from 'prosemirror-model';
import { type Command, type EditorState, Plugin, TextSelection, type Transaction } from 'prosemirror-state';
import { goToNextCell } from 'prosemirror-tables';
import { insertBreak, setLevel, splitInCell, toggleStyle } from './block-commands.ts';
import { liftAtStart, liftItem, sinkItem, splitItem, toggleList } from './list-commands.ts';
import { nodes } from './schema.ts';
import { tablesPlugin } from './table-commands.ts';
import { tidyRunsPlugin } from './tidy-runs.ts';

/** Keys of the editor beside those of every text field. The toolbar shows them. */
export const KEYS: Readonly<Record<string, Command>> = {
  'Mod-b': toggleStyle('strong'),
  'Mod-i': toggleStyle('em'),
  'Mod-e': toggleStyle('code'),
  'Mod-.': toggleStyle('sup'),
  'Mod-,': toggleStyle('sub'),
  'Mod-Alt-0': setLevel(0),
  'Mod-Alt-1': setLevel(1),
  'Mod-Alt-2': setLevel(2),
  'Mod-Alt-3': setLevel(3),
  'Mod-Alt-4': setLevel(4),
  'Mod-Shift-7': toggleList(nodes.ordered_list),
  'Mod-Shift-8': toggleList(nodes.bullet_list),
  'Shift-Enter': insertBreak,
  'Mod-Enter': insertBreak,
  Enter: chainCommands(splitItem, splitInCell),
  // A paragraph may begin like a list: `1. May`.
  Backspace: chainCommands(undoShorthand, liftAtStart),
  // Tab leaves the editor where there is nothing to move, and after Escape: the keyboard must not be trapped.
  Tab: chainCommands(sinkItem, goToNextCell(1)),
  'Shift-Tab': chainCommands(liftItem, goToNextCell(-1)),
  // No step of its own: the next undo would make the list again.
  'Mod-z': chainCommands(
    (state, dispatch) =>
      undoShorthand(state, dispatch && ((tr) => dispatch(tr.setMeta('addToHistory', false)))),
    undo,
  ),
  'Mod-y': redo,
  'Shift-Mod-z': redo,
};

/** What every editor has; the order is the order in which keys are offered. */
export function editorPlugins(): Plugin[] {
  return [
    leavingTab(),
    selectionAtKey(),
    shorthand(),
    keymap(KEYS as Record<string, Command>),
    tablesPlugin(),
    keymap(baseKeymap),
    tidyRunsPlugin(),
    gapCursor(),
    history(),
  ];
}

const MODIFIERS: ReadonlySet<string> = new Set(['Alt', 'Control', 'Meta', 'Shift']);

/**
 * Tab leaves a text that it has led to, and any text after Escape: who goes through a form, or from a list to the toolbar,
 * moves no item of a list. After another key or a press it acts on items and cells.
 */
function leavingTab(): Plugin {
  let isLeaving = false;
  /** The key went down here, not where the focus was before. */
  let isDownHere = false;
  return new Plugin({
    props: {
      handleDOMEvents: {
        focus() {
          isLeaving = false;
          isDownHere = false;
          return false;
        },
        mousedown() {
          isLeaving = false;
          return false;
        },
        keydown(_, { key, repeat }) {
          if (key !== 'Tab') {
            if (!MODIFIERS.has(key)) isLeaving = key === 'Escape';
            return false;
          }
          if (repeat && !isDownHere) isLeaving = true;
          isDownHere = true;
          return isLeaving;
        },
        keyup(_, { key }) {
          if (key !== 'Tab') return false;
          if (!isDownHere) isLeaving = true;
          isDownHere = false;
          return false;
        },
      },
    },
  });
}

/**
 * A key acts on the selection that is shown. The browser announces where a key or click has moved it some time later, on
 * a busy machine after the next key.
 */
function selectionAtKey(): Plugin {
  return new Plugin({
    props: {
      handleDOMEvents: {
        keydown({ dom }, { isComposing }) {
          if (!isComposing) dom.ownerDocument.dispatchEvent(new Event('selectionchange'));
          return false;
        },
      },
    },
  });
}

/** `# `, `- ` and `1. ` at the start of a block. */
function shorthand(): Plugin {
  return inputRules({
    rules: [
      textblockTypeInputRule(/^(#{1,4})\s$/, nodes.heading, ([, hashes = '']) => ({ level: hashes.length })),
      listRule(/^[-*]\s$/, nodes.bullet_list),
      listRule(/^1[.)]\s$/, nodes.ordered_list),
    ],
  });
}

/** Gives back what was typed, with the caret behind it: the caret in a list is nowhere once there is no list. */
function undoShorthand(state: EditorState, dispatch?: (tr: Transaction) => void): boolean {
  return undoInputRule(
    state,
    dispatch &&
      ((tr) => {
        tr.mapping.maps.at(-1)?.forEach((_from, _to, _newFrom, caret) => {
          tr.setSelection(TextSelection.create(tr.doc, caret));
        });
        dispatch(tr);
      }),
  );
}

function listRule(pattern: RegExp, type: NodeType): InputRule {
  return new InputRule(pattern, (state, _, start, end) => {
    const { parent } = state.selection.$from;
    if (parent.type !== nodes.paragraph) return null;
    const { tr } = state;
    tr.delete(start, end);
    const $at = tr.doc.resolve(start);
    const item = nodes.list_item.create(null, nodes.run.create(null, $at.parent.content));
    const { depth } = $at;
    if (!$at.node(depth - 1).canReplaceWith($at.index(depth - 1), $at.index(depth - 1) + 1, type))
      return null;
    tr.replaceWith($at.before(), $at.after(), type.create(null, item));
    // Inside of the list, its item and its run.
    return tr.setSelection(TextSelection.create(tr.doc, $at.before() + 3));
  });
}

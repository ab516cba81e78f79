import { useSignal } from '@preact/signals';
import { modelTexts } from '../../messages/model.ts';
import { announce } from '../../parts/announce.tsx';
import { codenameOf, newId } from './definition.ts';
import { dropTarget, handle } from './drag.ts';
import { MoveButtons } from './move-buttons.tsx';
import { Names } from './names.tsx';
import {
  changedNode,
  insertedNode,
  movedNode,
  placeOf,
  type Side,
  type TreeNode,
  withoutNode,
} from './tree.ts';
import '../../style/model.css';

interface TreeEditorProps {
  /** What the nodes are: names the list and the drags. */
  readonly label: string;
  readonly addLabel: string;
  readonly newName: string;
  readonly longestName: number;
  readonly nodes: readonly TreeNode[];
  readonly onChange: (nodes: readonly TreeNode[], field?: string) => void;
}

/** A tree whose nodes are added, renamed, moved and removed. */
export function TreeEditor(props: TreeEditorProps) {
  const { label, addLabel, newName, longestName, nodes, onChange } = props;
  const t = modelTexts();
  const open = useSignal<string | undefined>(undefined);
  const taken = (id: string) => codenamesIn(nodes, id);
  const create = (): TreeNode => {
    const id = newId();
    open.value = id;
    return { id, name: newName, codename: codenameOf(newName, taken(id)), nodes: [] };
  };
  const move = (id: string, side: Side, target: string, button?: 'inward' | 'outward') => {
    const next = movedNode(nodes, id, side, target);
    if (next === nodes) return;
    onChange(next);
    // Under another node its row is drawn anew.
    if (button) requestAnimationFrame(() => document.getElementById(`${id}-${button}`)?.focus());
    const siblings = placeOf(next, id)?.parent?.nodes ?? next;
    const at = siblings.findIndex((node) => node.id === id);
    announce(t.movedTo(siblings[at]?.name ?? '', at + 1, siblings.length));
  };
  const row = (node: TreeNode) => {
    const { previous, next, parent } = placeOf(nodes, node.id) ?? {};
    const name = node.name || t.unnamed;
    const isOpen = open.value === node.id;
    return (
      <li key={node.id}>
        <div class="model-row" {...dropTarget(label, node.id, true, (id, side) => move(id, side, node.id))}>
          <span class="handle" title={t.drag} aria-hidden="true" {...handle(label, node.id)} />
          <strong>{name}</strong>
          <code>{node.codename}</code>
          <span class="acts">
            <button
              type="button"
              aria-expanded={isOpen}
              aria-label={t.edit(name)}
              onClick={() => {
                open.value = isOpen ? undefined : node.id;
              }}
            >
              ✎
            </button>
            <button
              type="button"
              aria-label={t.addBelow(name)}
              onClick={() => onChange(insertedNode(nodes, create(), 'under', node.id))}
            >
              +
            </button>
            <button
              type="button"
              id={`${node.id}-outward`}
              aria-label={t.outward(name)}
              aria-disabled={!parent}
              onClick={() => parent && move(node.id, 'after', parent.id, 'outward')}
            >
              ←
            </button>
            <button
              type="button"
              id={`${node.id}-inward`}
              aria-label={t.inward(name)}
              aria-disabled={!previous}
              onClick={() => previous && move(node.id, 'under', previous.id, 'inward')}
            >
              →
            </button>
            <MoveButtons
              name={name}
              onUp={previous && (() => move(node.id, 'before', previous.id))}
              onDown={next && (() => move(node.id, 'after', next.id))}
              onRemove={() => onChange(withoutNode(nodes, node.id))}
            />
          </span>
        </div>
        {isOpen && (
          <div class="element-form">
            <Names
              value={node}
              taken={taken(node.id)}
              longest={longestName}
              onChange={(changed, field) =>
                onChange(
                  changedNode(nodes, node.id, () => changed),
                  field,
                )
              }
            />
          </div>
        )}
        {node.nodes.length > 0 && <ul class="model-list">{node.nodes.map(row)}</ul>}
      </li>
    );
  };
  return (
    <section aria-label={label}>
      <h2>{label}</h2>
      {nodes.length === 0 && <p>{t.none}</p>}
      {nodes.length > 0 && <ul class="model-list">{nodes.map(row)}</ul>}
      <button type="button" onClick={() => onChange([...nodes, create()])}>
        {addLabel}
      </button>
    </section>
  );
}

function codenamesIn(nodes: readonly TreeNode[], except: string): string[] {
  return nodes.flatMap((node) => [
    ...(node.id === except ? [] : [node.codename]),
    ...codenamesIn(node.nodes, except),
  ]);
}

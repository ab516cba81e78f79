import { isNew } from './definition.ts';
import { stayingIds } from './definition-patch.ts';

/** A node of a taxonomy group or of the sitemap. */
export interface TreeNode {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly nodes: readonly TreeNode[];
}

export interface Tree {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly nodes: readonly TreeNode[];
}

export type Side = 'before' | 'after' | 'under';

/** The nodes with one changed. */
export function changedNode(
  nodes: readonly TreeNode[],
  id: string,
  change: (node: TreeNode) => TreeNode,
): readonly TreeNode[] {
  return nodes.map((node) => {
    if (node.id === id) return change(node);
    const below = changedNode(node.nodes, id, change);
    return below.every((one, index) => one === node.nodes[index]) ? node : { ...node, nodes: below };
  });
}

export function withoutNode(nodes: readonly TreeNode[], id: string): readonly TreeNode[] {
  return nodes
    .filter((node) => node.id !== id)
    .map((node) => ({ ...node, nodes: withoutNode(node.nodes, id) }));
}

function findNode(nodes: readonly TreeNode[], id: string): TreeNode | undefined {
  for (const node of nodes) {
    const found = node.id === id ? node : findNode(node.nodes, id);
    if (found) return found;
  }
  return undefined;
}

/** The nodes with one beside or below another; unchanged where that one is below the first itself. */
export function movedNode(
  nodes: readonly TreeNode[],
  id: string,
  side: Side,
  target: string,
): readonly TreeNode[] {
  const node = findNode(nodes, id);
  if (!node || id === target || findNode(node.nodes, target)) return nodes;
  return insertedNode(withoutNode(nodes, id), node, side, target);
}

export function insertedNode(
  nodes: readonly TreeNode[],
  node: TreeNode,
  side: Side,
  target: string,
): readonly TreeNode[] {
  return nodes.flatMap((one) => {
    if (one.id !== target) return [{ ...one, nodes: insertedNode(one.nodes, node, side, target) }];
    if (side === 'under') return [{ ...one, nodes: [...one.nodes, node] }];
    return side === 'before' ? [node, one] : [one, node];
  });
}

/** A node with its neighbors. */
export interface Place {
  readonly previous: TreeNode | undefined;
  readonly next: TreeNode | undefined;
  readonly parent: TreeNode | undefined;
}

export function placeOf(nodes: readonly TreeNode[], id: string, parent?: TreeNode): Place | undefined {
  const at = nodes.findIndex((node) => node.id === id);
  if (at >= 0) return { previous: nodes[at - 1], next: nodes[at + 1], parent };
  for (const node of nodes) {
    const found = placeOf(node.nodes, id, node);
    if (found) return found;
  }
  return undefined;
}

/**
 * What one person made of a tree, on top of what another one made of it: removes, renames, moves and adds the same nodes.
 */
export function rebasedTree(before: Tree, mine: Tree, theirs: Tree): Tree {
  const isKept = (name: 'name' | 'codename') => mine[name] === before[name];
  let nodes = theirs.nodes;
  for (const { id } of flatNodes(before.nodes)) if (!findNode(mine.nodes, id)) nodes = withoutNode(nodes, id);
  const place = (siblings: readonly TreeNode[], old: readonly TreeNode[], parent: TreeNode | undefined) => {
    const staying = stayingIds(old, siblings);
    for (const [at, node] of siblings.entries()) {
      const known = findNode(before.nodes, node.id);
      if (known && (known.name !== node.name || known.codename !== node.codename))
        nodes = changedNode(nodes, node.id, (one) => ({
          ...one,
          name: node.name,
          codename: node.codename,
        }));
      if (!staying.has(node.id)) {
        const moving = known ? findNode(nodes, node.id) : { ...node, nodes: [] };
        if (moving) nodes = placed(withoutNode(nodes, node.id), moving, siblings[at - 1], parent);
      }
      place(node.nodes, known?.nodes ?? [], node);
    }
  };
  place(mine.nodes, before.nodes, undefined);
  return {
    ...theirs,
    nodes,
    name: isKept('name') ? theirs.name : mine.name,
    codename: isKept('codename') ? theirs.codename : mine.codename,
  };
}

/** Behind a sibling, else as the first below the parent. */
function placed(
  nodes: readonly TreeNode[],
  node: TreeNode,
  previous: TreeNode | undefined,
  parent: TreeNode | undefined,
): readonly TreeNode[] {
  if (previous && findNode(nodes, previous.id)) return insertedNode(nodes, node, 'after', previous.id);
  const above = parent && findNode(nodes, parent.id);
  if (!above) return [node, ...nodes];
  return changedNode(nodes, above.id, (one) => ({ ...one, nodes: [node, ...one.nodes] }));
}

/** Nodes that were not moved. What is below a node that was moved stays where it is. */
export function stayingNodes(before: Tree, after: Tree): ReadonlySet<string> {
  const old = new Map([before, ...flatNodes(before.nodes)].map(({ id, nodes }) => [id, nodes]));
  const now = [after, ...flatNodes(after.nodes)];
  return new Set(now.flatMap(({ id, nodes }) => [...stayingIds(old.get(id) ?? [], nodes)]));
}

export function flatNodes(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node) => [node, ...flatNodes(node.nodes)]);
}

/** As the API has it: with the nodes below under another name, and without ids of new nodes. */
export function treeInput(nodes: readonly TreeNode[], children: 'terms' | 'nodes'): object[] {
  return nodes.map((node) => ({
    ...(!isNew(node) && { id: node.id }),
    name: node.name,
    codename: node.codename,
    [children]: treeInput(node.nodes, children),
  }));
}

export interface Term {
  readonly id: string;
  readonly name: string;
  readonly codename: string;
  readonly terms: readonly Term[];
}

export function nodesOfTerms(terms: readonly Term[]): readonly TreeNode[] {
  return terms.map(({ id, name, codename, terms: below }) => ({
    id,
    name,
    codename,
    nodes: nodesOfTerms(below),
  }));
}

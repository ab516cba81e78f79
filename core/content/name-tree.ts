import { Issues, listOf } from '../model/issues.ts';
import type { ProjectTransaction } from '../transaction/project-transaction.ts';
import { type Named, type NamedInput, Naming, type NamingRules } from './naming.ts';

/** The deepest tree that a JSON body can hold; further changes and imports must not make a deeper one. */
const LEVEL_LIMIT = 127;

export interface TreeRules<Children extends string, Node> extends NamingRules {
  /** The property that holds the nodes below a node, and their name in issues. */
  readonly children: Children;
  readonly limit: number;
  /** Start of the issue about the limit: `A sitemap can have`. */
  readonly limited: string;
  /** The stored form of a node without those below it. */
  readonly toNode: (named: Named) => Node;
}

type TreeInput<Children extends string> = NamedInput & {
  readonly [Name in Children]?: readonly TreeInput<Children>[];
};

type Tree<Children extends string, Node> = Node & {
  readonly [Name in Children]: readonly Tree<Children, Node>[];
};

/**
 * Checks and names the nodes of a tree: of a sitemap, a taxonomy group, asset folders.
 * @param known nodes of the present tree
 * @throws invalidBody for a value that is no tree; issues inside a tree go to `issues`
 */
export function nameTree<Children extends string, Node>(
  transaction: ProjectTransaction,
  issues: Issues,
  rules: TreeRules<Children, Node>,
  inputs: readonly TreeInput<Children>[],
  known: Iterable<Named>,
): Tree<Children, Node>[] {
  const { children, toNode } = rules;
  const naming = new Naming(transaction, issues, rules, known);
  naming.claim(nodesOf(inputs, rules));
  const build = (nodes: readonly TreeInput<Children>[], path: string): Tree<Children, Node>[] =>
    nodes.map((input, index) => {
      const at = `${path}[${index}]`;
      const node = toNode(naming.name(input, at));
      const below = build(input[children] ?? [], `${at}.${children}`);
      return { ...node, [children]: below } as Tree<Children, Node>;
    });
  return build(inputs, children);
}

/** All nodes. Trees are read and written recursively, so their levels are limited, and counted without recursion. */
function nodesOf<Children extends string>(
  inputs: readonly TreeInput<Children>[],
  { children, limit, limited }: TreeRules<Children, unknown>,
): TreeInput<Children>[] {
  const issues = new Issues();
  const listed = (list: readonly TreeInput<Children>[] | undefined, path: string) =>
    listOf(issues, list, path).map((input, index) => ({ input, path: `${path}[${index}]` }));
  const nodes: TreeInput<Children>[] = [];
  let levels = 0;
  for (let level = listed(inputs, children); level.length > 0; levels += 1) {
    for (const { input } of level) nodes.push(input);
    // What is below too many nodes is not looked at.
    if (nodes.length > limit) break;
    level = level.flatMap(({ input, path }) => listed(input[children], `${path}.${children}`));
  }
  issues.refuse();
  if (nodes.length > limit) issues.add(`${limited} at most ${limit} ${children}.`, children);
  if (levels > LEVEL_LIMIT)
    issues.add(`A tree can have at most ${LEVEL_LIMIT} levels; this one has ${levels}.`, children);
  issues.refuse();
  return nodes;
}

import type { Issues } from './issues.ts';

/** The deepest tree that a JSON body can hold; further changes and imports must not make a deeper one. */
const TREE_LEVELS = 127;

/** Limits the levels of a tree, because trees are read and written recursively. */
export function checkTreeLevels<T>(
  issues: Issues,
  nodes: readonly T[],
  childrenOf: (node: T) => readonly T[],
  path: string,
): void {
  let levels = 0;
  for (let level = nodes; level.length > 0; level = level.flatMap(childrenOf)) levels += 1;
  if (levels > TREE_LEVELS)
    issues.add(`A tree can have at most ${TREE_LEVELS} levels; this one has ${levels}.`, path);
}

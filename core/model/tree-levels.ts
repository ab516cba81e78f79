import type { Issues } from './issues.ts';

/** As deep as a body of JSON can hold a tree; changes one by one make none deeper, and an archive holds none. */
const TREE_LEVELS = 127;

/** Trees are read and written by functions that call themselves for each level. */
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

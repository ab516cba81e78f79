import type { ValidationIssue } from '../errors.ts';
import type { Visitor } from './json-reader.ts';
import { positionsAt } from './position-at.ts';
import { readAll } from './read-json.ts';

/** The paths of issues as a tree of their parts. */
interface Part {
  readonly inner: Map<string | number, Part>;
  /** Undefined until a value was found there. */
  offset: number | undefined;
}

/**
 * Adds to each issue the line and position of the value that its path names. Where that value is missing, they are
 * those of the object or array that should hold it. A path into something the body does not have is about stored
 * content; its issue gets no position.
 * @param text valid JSON
 */
export async function locateIssues(
  text: string,
  issues: readonly ValidationIssue[],
): Promise<ValidationIssue[]> {
  const root: Part = { inner: new Map(), offset: undefined };
  const parts = issues.map(({ path, line }) =>
    path === undefined || line !== undefined ? [] : alongPath(root, path),
  );
  await readAll(text, offsetFinder(root));
  const offsets = parts.map(offsetOf);
  const rising = [...new Set(offsets)].filter((offset) => offset !== undefined).sort((a, b) => a - b);
  const found = await positionsAt(text, rising);
  const positions = new Map(found.map((position, index) => [rising[index], position]));
  return issues.map((issue, index) => ({ ...issue, ...positions.get(offsets[index]) }));
}

function offsetOf(along: readonly Part[]): number | undefined {
  const at = along.findLastIndex(({ offset }) => offset !== undefined);
  return at === 0 && along.length > 2 ? undefined : along[at]?.offset;
}

/** The parts along a path such as `elements[2].value`; adds those that are missing. */
function alongPath(root: Part, path: string): Part[] {
  const along = [root];
  for (const [text, index] of path.matchAll(/\[(\d+)\]|[^.[\]]+/g)) {
    const key = index === undefined ? text : Number(index);
    const { inner } = along.at(-1)!;
    let part = inner.get(key);
    if (!part) {
      part = { inner: new Map(), offset: undefined };
      inner.set(key, part);
    }
    along.push(part);
  }
  return along;
}

function offsetFinder(root: Part): Visitor {
  /** Of the open objects and arrays; undefined for those that no issue is about. */
  const open: (Part | undefined)[] = [];
  let last: Part | undefined;
  return {
    begin(key, offset) {
      last = key === undefined ? root : open.at(-1)?.inner.get(key);
      if (last) last.offset = offset;
    },
    enter: () => open.push(last),
    leave: () => open.pop(),
  };
}

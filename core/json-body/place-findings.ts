import type { ValidationIssue } from '../errors.ts';
import type { Visitor } from './json-reader.ts';
import { placesAt } from './place-at.ts';
import { readAll } from './read-json.ts';

/** What findings speak of: a tree of the parts of their paths. */
interface Part {
  readonly inner: Map<string | number, Part>;
  /** Undefined until a value was found there. */
  offset: number | undefined;
}

/**
 * Findings with the line and position of what their path leads to. Where a path ends early, because
 * something is missing there, it is the place of what should hold it. A path that goes on inside something the body
 * does not have is about content that is stored; its finding gets no place.
 * @param text JSON that was read before
 */
export async function placeFindings(
  text: string,
  findings: readonly ValidationIssue[],
): Promise<ValidationIssue[]> {
  const root: Part = { inner: new Map(), offset: undefined };
  const parts = findings.map(({ path, line }) =>
    path === undefined || line !== undefined ? [] : alongPath(root, path),
  );
  await readAll(text, offsetFinder(root));
  const offsets = parts.map(offsetOf);
  const rising = [...new Set(offsets)].filter((offset) => offset !== undefined).sort((a, b) => a - b);
  const found = await placesAt(text, rising);
  const places = new Map(found.map((place, index) => [rising[index], place]));
  return findings.map((finding, index) => ({ ...finding, ...places.get(offsets[index]) }));
}

function offsetOf(along: readonly Part[]): number | undefined {
  const at = along.findLastIndex(({ offset }) => offset !== undefined);
  return at === 0 && along.length > 2 ? undefined : along[at]?.offset;
}

/** The parts from the root to where `elements[2].value` leads, made where they are missing. */
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
  /** Of the open objects and arrays; undefined for those that no finding speaks of. */
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

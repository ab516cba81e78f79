import { type JSONPath, type Node, parseTree } from 'jsonc-parser';
import type { ValidationIssue } from '../errors.ts';
import { placeAt } from './place-at.ts';

/**
 * Findings with the line and position of what their path leads to. Where a path ends early, because
 * something is missing there, it is the place of what should hold it.
 * @param text JSON that is nested no deeper than bodies may be
 */
export function placeFindings(text: string, findings: readonly ValidationIssue[]): ValidationIssue[] {
  const root = parseTree(text);
  return findings.map((finding) => {
    if (!root || finding.path === undefined || finding.line !== undefined) return finding;
    return { ...finding, ...placeAt(text, nearest(root, toPath(finding.path)).offset) };
  });
}

/** `elements[2].value` → `['elements', 2, 'value']`. */
function toPath(path: string): JSONPath {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([part, index]) =>
    index === undefined ? part : Number(index),
  );
}

function nearest(root: Node, path: JSONPath): Node {
  let node = root;
  for (const part of path) {
    const inner: Node | undefined =
      typeof part === 'number'
        ? node.type === 'array'
          ? node.children?.[part]
          : undefined
        : node.children?.find(({ type, children }) => type === 'property' && children?.[0]?.value === part)
            ?.children?.[1];
    if (!inner) break;
    node = inner;
  }
  return node;
}

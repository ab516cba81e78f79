import { diffArrays } from 'diff';
import { isLine, type Token } from './tokens.ts';

/** A run of tokens that both have, or one of them. */
export interface Part {
  readonly kind: 'same' | 'removed' | 'inserted';
  readonly tokens: readonly Token[];
}

/** More tokens are compared by lines. */
const MOST_WORDS = 40_000;
/** More are not compared, but shown one after the other. */
const MOST_OF_LINES = 200_000;
/** Texts that differ in more are compared by lines, or as wholes: the work grows with the square. */
const MOST_DIFFERENCES = 600;
/** What one comparison of long texts may take, ms; a task is long from 50 ms on. */
const TIME = 30;
/** Texts for which `MOST_DIFFERENCES` is bound enough, so that a busy machine shows the same. */
const SHORT = 10_000;

/**
 * Compares two texts: by words, by lines where they are long or very different, and as wholes where that takes too long as
 * well. What is the same at both ends is never in question.
 */
export function compareTokens(before: readonly Token[], after: readonly Token[]): Part[] {
  let start = 0;
  const shorter = Math.min(before.length, after.length);
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  return joined([
    { kind: 'same', tokens: before.slice(0, start) },
    ...(byWords(old, now) ?? byLines(old, now) ?? whole(old, now)),
    { kind: 'same', tokens: before.slice(before.length - end) },
  ]);
}

function byWords(old: readonly Token[], now: readonly Token[]): Part[] | undefined {
  if (old.length + now.length > MOST_WORDS) return undefined;
  return diffArrays([...old], [...now], boundsOf(old.length + now.length))?.map(({ value, ...of }) => ({
    kind: kindOf(of),
    tokens: value,
  }));
}

function byLines(old: readonly Token[], now: readonly Token[]): Part[] | undefined {
  if (old.length + now.length > MOST_OF_LINES) return undefined;
  const [oldLines, nowLines] = [linesOf(old), linesOf(now)];
  const keys = (lines: readonly (readonly Token[])[]) => lines.map((line) => line.join(''));
  const found = diffArrays(keys(oldLines), keys(nowLines), boundsOf(oldLines.length + nowLines.length));
  if (!found) return undefined;
  const parts: Part[] = [];
  let [oldAt, nowAt] = [0, 0];
  for (const { value, ...of } of found) {
    const kind = kindOf(of);
    const lines =
      kind === 'inserted'
        ? nowLines.slice(nowAt, nowAt + value.length)
        : oldLines.slice(oldAt, oldAt + value.length);
    if (kind !== 'inserted') oldAt += value.length;
    if (kind !== 'removed') nowAt += value.length;
    parts.push({ kind, tokens: lines.flat() });
  }
  return parts;
}

function boundsOf(count: number) {
  return { maxEditLength: MOST_DIFFERENCES, ...(count > SHORT && { timeout: TIME }) };
}

function whole(old: readonly Token[], now: readonly Token[]): Part[] {
  return [
    { kind: 'removed', tokens: old },
    { kind: 'inserted', tokens: now },
  ];
}

const SENTENCE_END = new Set(['.', '!', '?', '…', '。']);

/** Lines, and in them sentences. */
function linesOf(tokens: readonly Token[]): Token[][] {
  const lines: Token[][] = [[]];
  for (const token of tokens) {
    if (isLine(token)) lines.push([]);
    lines.at(-1)?.push(token);
    if (SENTENCE_END.has(token)) lines.push([]);
  }
  return lines;
}

function kindOf({ added, removed }: { readonly added: boolean; readonly removed: boolean }): Part['kind'] {
  if (added) return 'inserted';
  return removed ? 'removed' : 'same';
}

function joined(parts: readonly Part[]): Part[] {
  return parts.filter(({ tokens }) => tokens.length > 0);
}

/** Tokens of unchanged text that are shown at each end. */
const CONTEXT = 60;
/** Tokens of a changed run that are shown. */
const MOST_SHOWN = 4000;

/** A part without what is far from every change; `hidden` counts the tokens that are not shown after `tokens`. */
export interface ShownPart extends Part {
  readonly hidden: number;
}

export function shownParts(parts: readonly Part[]): ShownPart[] {
  return parts.flatMap((part, index): ShownPart[] => {
    const { kind, tokens } = part;
    if (kind !== 'same')
      return [{ kind, tokens: tokens.slice(0, MOST_SHOWN), hidden: Math.max(0, tokens.length - MOST_SHOWN) }];
    const first = index === 0 ? 0 : CONTEXT;
    const last = index === parts.length - 1 ? 0 : CONTEXT;
    if (tokens.length <= first + last + 2 * CONTEXT) return [{ ...part, hidden: 0 }];
    return [
      { kind, tokens: tokens.slice(0, first), hidden: tokens.length - first - last },
      { kind, tokens: last === 0 ? [] : tokens.slice(-last), hidden: 0 },
    ];
  });
}

import type { ComponentChildren } from 'preact';
import type { Part, ShownPart } from './compare-tokens.ts';
import { shownParts } from './compare-tokens.ts';
import { readToken } from './tokens.ts';
import '../style/history.css';

export interface DiffWords {
  readonly removed: string;
  readonly inserted: string;
  readonly hidden: (count: number) => string;
}

interface Piece {
  readonly kind: Part['kind'];
  readonly marks: string;
  text: string;
}

interface Line {
  readonly kind: Part['kind'];
  readonly label: string;
  readonly pieces: Piece[];
}

/** Two texts as one: what was removed and what was inserted is marked, also for screen readers. */
export function DiffText({ parts, words }: { readonly parts: readonly Part[]; readonly words: DiffWords }) {
  return (
    <div class="diff">
      {linesOf(shownParts(parts), words).map(({ kind, label, pieces }, at) => (
        <p key={at}>
          {label !== '' && (
            <Changed kind={kind} words={words}>
              <span class="diff-label">{label}</span>{' '}
            </Changed>
          )}
          {pieces.map((piece, index) => (
            <Changed key={index} kind={piece.kind} words={words}>
              <Marked marks={piece.marks}>{piece.text}</Marked>
            </Changed>
          ))}
        </p>
      ))}
    </div>
  );
}

function linesOf(parts: readonly ShownPart[], words: DiffWords): Line[] {
  const lines: Line[] = [{ kind: 'same', label: '', pieces: [] }];
  for (const { kind, tokens, hidden } of parts) {
    for (const token of tokens) {
      const { line, text, marks } = readToken(token);
      const last = lines.at(-1);
      if (line !== undefined) lines.push({ kind, label: line, pieces: [] });
      else if (last) addPiece(last.pieces, kind, marks.join(' '), text);
    }
    if (hidden > 0) lines.push({ kind: 'same', label: words.hidden(hidden), pieces: [] });
  }
  return lines.filter(({ label, pieces }) => label !== '' || pieces.length > 0);
}

function addPiece(pieces: Piece[], kind: Part['kind'], marks: string, text: string): void {
  const last = pieces.at(-1);
  if (last?.kind === kind && last.marks === marks) last.text += text;
  else pieces.push({ kind, marks, text });
}

interface ChangedProps {
  readonly kind: Part['kind'];
  readonly words: DiffWords;
  readonly children: ComponentChildren;
}

function Changed({ kind, words, children }: ChangedProps) {
  if (kind === 'same') return <>{children}</>;
  const Tag = kind === 'removed' ? 'del' : 'ins';
  return (
    <Tag>
      <span class="unseen">{words[kind]} </span>
      {children}
    </Tag>
  );
}

const TAGS = ['strong', 'em', 'sup', 'sub', 'code'] as const;

function Marked({ marks, children }: { readonly marks: string; readonly children: ComponentChildren }) {
  const all = marks.split(' ');
  const start = all.includes('a') ? <span class="diff-link">{children}</span> : children;
  return <>{TAGS.reduce((within, Tag) => (all.includes(Tag) ? <Tag>{within}</Tag> : within), start)}</>;
}

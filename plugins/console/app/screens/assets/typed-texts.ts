/** What was typed about assets and is not saved yet: kept while the tab is open, also over a reload. */
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { pageUser } from '../../api.ts';
import type { Named } from '../../list/project-data.ts';
import { announce } from '../../parts/announce.tsx';
import { saveDescription, saveTitle } from './asset-data.ts';
import { texts } from './texts.ts';
import { TypedText } from './typed-text.ts';

/** A text of an asset. */
export interface AssetText {
  readonly project: string;
  /** Id of the asset. */
  readonly asset: string;
  /** Of the asset, for messages. */
  readonly name: string;
  /** Of a description; null = it is the title. */
  readonly language: Named | null;
}

export interface KeptText {
  readonly of: AssetText;
  readonly typed: TypedText;
}

interface Stored {
  readonly of: AssetText;
  readonly shown: string | null;
  readonly text: string;
}

interface Entry extends KeptText {
  isShown: boolean;
}

const entries = new Map<string, Entry>();
/** Those that no field shows, and that the server does not have. */
export const keptTexts = signal<readonly KeptText[]>([]);

/** Clones of a project have the same ids. */
export const keyOf = ({ project, asset, language }: AssetText): string =>
  `${project} ${asset} ${language?.id ?? ''}`;
const storageKey = (): string => `headwater-asset-texts ${pageUser()}`;

for (const { of, shown, text } of stored()) add(of, shown, text);
update();
addEventListener('beforeunload', (event) => {
  if ([...entries.values()].some(({ typed }) => typed.isUnsaved)) event.preventDefault();
});

/** The text of an asset in a field, as it was typed before where that was not saved. */
export function useTypedText(of: AssetText, stored: string | null): TypedText {
  const key = keyOf(of);
  const entry = useMemo(() => entries.get(key) ?? add(of, stored, stored ?? ''), [key]);
  const { typed } = entry;
  useEffect(() => typed.follow(stored), [typed, stored]);
  useEffect(() => {
    entries.set(key, entry);
    entry.isShown = true;
    update();
    return () => {
      entry.isShown = false;
      update();
      void typed.save();
    };
  }, [entry]);
  return typed;
}

function add(of: AssetText, shown: string | null, text: string): Entry {
  const { project, asset, language } = of;
  const typed = new TypedText(shown, text, {
    write: (change) =>
      language ? saveDescription(project, asset, language.id, change) : saveTitle(project, asset, change),
    onChange: update,
    onEnd(error) {
      if (error === undefined) announce(texts().saved);
      else if (!entry.isShown) announce(texts().kept.announced(of.name));
    },
  });
  const entry: Entry = { of, typed, isShown: false };
  entries.set(keyOf(of), entry);
  return entry;
}

function update(): void {
  const unsaved: Entry[] = [];
  for (const [key, entry] of entries)
    if (entry.typed.isUnsaved) unsaved.push(entry);
    else if (!entry.isShown && !entry.typed.isSaving.peek()) entries.delete(key);
  keptTexts.value = unsaved.filter(({ isShown }) => !isShown);
  try {
    const kept = unsaved.map(
      ({ of, typed }): Stored => ({ of, shown: typed.shown, text: typed.text.peek() }),
    );
    if (kept.length === 0) sessionStorage.removeItem(storageKey());
    else sessionStorage.setItem(storageKey(), JSON.stringify(kept));
  } catch {
    // No space, or forbidden: they are kept in this page only.
  }
}

function stored(): readonly Stored[] {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey()) ?? '[]') as readonly Stored[];
  } catch {
    return [];
  }
}

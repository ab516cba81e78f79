/** What was typed about assets and is not saved yet: the browser keeps it until it is. */
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { onPageUser, pageUser } from '../../api.ts';
import { browserCopies } from '../../copies/browser-copies.ts';
import { LocalCopies } from '../../copies/local-copies.ts';
import type { Named } from '../../list/project-data.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { announce } from '../../parts/announce.tsx';
import { askBeforeLeaving } from '../../parts/leaving.ts';
import { saveDescription, saveTitle } from './asset-data.ts';
import { EditedText } from './edited-text.ts';

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

export interface UnsavedText {
  readonly key: string;
  readonly of: AssetText;
  readonly typed: EditedText;
}

interface Stored {
  readonly of: AssetText;
  readonly shown: string | null;
  readonly text: string;
}

interface Entry extends UnsavedText {
  isShown: boolean;
}

/** Those of fields by `keyOf`, those of earlier visits by keys of their own. */
const entries = new Map<string, Entry>();
/** Those that no field shows, and that the server does not have. */
export const unsavedTexts = signal<readonly UnsavedText[]>([]);
/** Whether the browser keeps them; undefined: it was not asked yet. */
export const hasCopy: Signal<boolean | undefined> = signal(undefined);

/** Clones of a project have the same ids. */
const keyOf = ({ project, asset, language }: AssetText): string =>
  `${project} ${asset} ${language?.id ?? ''}`;

const ofPerson = () => `${pageUser.peek()} asset texts`;
const copies = new LocalCopies<Stored>(browserCopies, {
  of: ofPerson(),
  changed: () => unsaved().map(({ of, typed }) => ({ of, shown: typed.shown, text: typed.text.peek() })),
  titleOf: (stored) => ({
    title: assetsTexts().title,
    fields: stored.map(({ of }) => `${of.name}, ${of.language?.name ?? assetsTexts().detail.titleField}`),
  }),
  onResult: (result) => {
    hasCopy.value = result;
  },
  onClosed: restoreNext,
});
let restoring = restore();
// The person who goes on has them from now on.
onPageUser(() => {
  restoring = restoring.then(async () => {
    await copies.moveTo(ofPerson());
    await restore();
  });
});
askBeforeLeaving(() => {
  const isNeeded = unsaved().length > 0 && !hasCopy.peek();
  if (isNeeded) void copies.write();
  return isNeeded;
});
addEventListener('pagehide', () => void copies.write());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') void copies.write();
});

/** The text of an asset in a field, as it was typed before where that was not saved. */
export function useEditedText(of: AssetText, stored: string | null): EditedText {
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

function add(of: AssetText, shown: string | null, text: string, key = keyOf(of)): Entry {
  const { project, asset, language } = of;
  const typed = new EditedText(shown, text, {
    write: (change) =>
      language ? saveDescription(project, asset, language.id, change) : saveTitle(project, asset, change),
    onChange: keep,
    onEnd(error) {
      if (error === undefined) announce(assetsTexts().saved);
      else if (!entry.isShown) announce(assetsTexts().unsaved.announced(of.name));
    },
  });
  const entry: Entry = { key, of, typed, isShown: false };
  entries.set(key, entry);
  return entry;
}

function unsaved(): Entry[] {
  return [...entries.values()].filter(({ typed }) => typed.isUnsaved);
}

function update(): void {
  for (const [key, { typed, isShown }] of entries)
    if (!typed.isUnsaved && !isShown && !typed.isSaving.peek()) entries.delete(key);
  unsavedTexts.value = unsaved().filter(({ isShown }) => !isShown);
}

function keep(): void {
  update();
  if (hasCopy.peek()) hasCopy.value = undefined;
  // What is saved must not be offered again where the page is closed now.
  if (unsaved().length === 0) void copies.write();
  else copies.schedule();
}

function restoreNext(): void {
  restoring = restoring.then(restore);
}

/** Takes over what closed pages have left: the person decides about each text. */
async function restore(): Promise<void> {
  let last: string | undefined;
  for (let copy = await copies.found(); copy && copy.at !== last; copy = await copies.found()) {
    last = copy.at;
    for (const { of, shown, text } of copy.elements) {
      const isHere = unsaved().some((one) => keyOf(one.of) === keyOf(of) && one.typed.text.peek() === text);
      if (!isHere) add(of, shown, text, crypto.randomUUID());
    }
    update();
    if (!(await copies.write())) return;
    await copies.dropFound();
  }
}

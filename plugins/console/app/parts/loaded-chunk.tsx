import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { NewVersion } from './new-version.tsx';

type Part<Props> = ComponentType<Props>;

/** A part of the page in a chunk of its own, by its name in the module. */
export function loaded<Name extends string, Props>(
  module: Promise<{ readonly [name in Name]: Part<Props> }>,
  name: Name,
): Promise<{ readonly default: Part<Props> }> {
  return module.then(
    (chunk) => ({ default: chunk[name] }),
    (error: unknown) => ({ default: loadedAgain<Props>(name, error) }),
  );
}

/**
 * Asks for the chunk again each time the part is shown until it is there: the request may have failed for a moment, also
 * before the part was shown. Chromium does not repeat one for the same address, so each has another query. A chunk is
 * missing where a new version was installed since the page was loaded.
 */
function loadedAgain<Props>(name: string, error: unknown): Part<Props> {
  // Chromium and Firefox name the address in the message.
  const [address] = /https?:\S+\.js/.exec(String(error)) ?? [];
  /** null: it is not there; undefined: it is asked for. */
  const part = signal<Part<Props> | null | undefined>(null);
  const ask = async () => {
    if (address === undefined || part.peek()) return;
    part.value = undefined;
    const other = `${address}?${Date.now()}`;
    try {
      part.value = ((await import(other)) as Record<string, Part<Props>>)[name];
    } catch {
      part.value = null;
    }
  };
  return (props) => {
    useLayoutEffect(() => void ask(), []);
    const Shown = part.value;
    if (Shown) return <Shown {...(props as Props & object)} />;
    return Shown === null ? <NewVersion isScreen /> : <p class="loading">{messages().loading}</p>;
  };
}

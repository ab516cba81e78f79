import { serverWords } from '../server-words/server-words.ts';
import type { Words } from '../server-words/translate.ts';

/** A sentence of the server, or several in lines, marked as English where there is none in the language of the page. */
export function ServerText({ text }: { readonly text: string }) {
  return (
    <span class="lines">
      <MarkedWords words={serverWords(text)} />
    </span>
  );
}

/** Words with their language, where that is not the one of the page. */
export function MarkedWords({ words }: { readonly words: readonly Words[] }) {
  return <>{words.map(({ text, lang }) => (lang ? <span lang={lang}>{text}</span> : text))}</>;
}

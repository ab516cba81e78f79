import { serverWords } from '../server-words/server-words.ts';

/** A sentence of the server, marked as English where there is none in the language of the page. */
export function ServerText({ text }: { readonly text: string }) {
  const words = serverWords(text);
  return <span lang={words.lang}>{words.text}</span>;
}

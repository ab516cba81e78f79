import { messages } from '../messages/messages.ts';
import { othersAt } from './use-presence.ts';

/** Names of the persons who have an item open. */
export function Present({ item, language }: { readonly item: string; readonly language?: string }) {
  const names = [...new Set(othersAt(item, language).map(({ person }) => person.name))];
  if (names.length === 0) return null;
  return <span class="present">{messages().presence.open(names.join(', '))}</span>;
}

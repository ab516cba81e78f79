import { messages } from '../messages/messages.ts';
import { othersAt } from './use-presence.ts';

interface PresentProps {
  readonly item: string;
  /** Id of the language; absent: any, without the elements. */
  readonly language?: string;
  /** Name of an element by its codename. */
  readonly nameOf?: (element: string) => string | undefined;
}

/** Who else has an item open, and in which element of the variant. */
export function Present({ item, language, nameOf }: PresentProps) {
  const names = othersAt(item, language).map(({ person, element }) =>
    language !== undefined && element !== null
      ? `${person.name} (${nameOf?.(element) ?? element})`
      : person.name,
  );
  if (names.length === 0) return null;
  return <span class="present">{messages().presence.open([...new Set(names)].join(', '))}</span>;
}

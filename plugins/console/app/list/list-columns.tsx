import type { ComponentChildren } from 'preact';
import { BASE, query } from '../api.ts';
import { formatValue, messages } from '../messages/messages.ts';
import { Present } from '../parts/present.tsx';
import { Time } from '../parts/time.tsx';
import type { ContentItem, ContentVariant } from './content-item.ts';
import type { Column } from './grid.tsx';
import type { ListState } from './list-state.ts';
import type { ContentType, Named } from './project-data.ts';

/** The columns of a content list; the first one names the row. */
export function listColumns(
  project: string,
  state: ListState,
  type: ContentType | undefined,
  languages: readonly Named[],
): Column<ContentItem>[] {
  const { content } = messages();
  const beside = state.get('beside').split(',').filter(Boolean);
  const elements = state.get('elements').split(',').filter(Boolean);
  return [
    {
      id: 'name',
      title: content.name,
      width: 'minmax(10rem, 3fr)',
      isOrdered: true,
      cell: ({ id, name }) => (
        <>
          <a href={BASE + itemPath(project, id, state)} tabIndex={-1}>
            {name}
          </a>
          <Present item={id} />
        </>
      ),
    },
    {
      id: 'type',
      title: content.type,
      width: 'minmax(6rem, 1fr)',
      isOrdered: true,
      cell: (item) => item.type.name,
    },
    {
      id: 'state',
      title: content.state,
      width: 'minmax(8rem, 1fr)',
      isOrdered: true,
      cell: ({ variants: [variant] }) => variant && <StateOf variant={variant} />,
    },
    ...beside.map((codename) => ({
      id: `beside.${codename}`,
      title: languages.find((language) => language.codename === codename)?.name ?? codename,
      width: 'minmax(8rem, 1fr)',
      cell: ({ variants }: ContentItem) => {
        const variant = variants.find(({ language }) => language.codename === codename);
        return variant && <StateOf variant={variant} />;
      },
    })),
    ...elements.map((codename) => ({
      id: `elements.${codename}`,
      title: type?.elements.find((element) => element.codename === codename)?.name ?? codename,
      width: 'minmax(8rem, 2fr)',
      isOrdered: type !== undefined,
      cell: ({ variants: [variant] }: ContentItem) => valueText(variant?.elements[codename]),
    })),
    {
      id: 'changed',
      title: content.modified,
      width: 'minmax(12.5rem, 1fr)',
      isOrdered: true,
      cell: ({ variants: [variant] }) => variant?.last_modified && <Time at={variant.last_modified} />,
    },
    {
      id: 'author',
      title: content.author,
      width: 'minmax(7rem, 1fr)',
      cell: ({ variants: [variant] }) => variant?.modified_by?.name,
    },
  ];
}

function StateOf({ variant }: { readonly variant: ContentVariant }) {
  const { content } = messages();
  const { state, scheduled_to } = variant;
  return (
    <span class={`state ${state}`}>
      {content.states[state]}
      {scheduled_to !== null && (
        <>
          , <Time at={scheduled_to} />
        </>
      )}
    </span>
  );
}

function valueText(element: ContentVariant['elements'][string] | undefined): ComponentChildren {
  if (!element) return null;
  const { type, value, length } = element;
  if (value === null) return null;
  if (typeof value === 'number') return formatValue(value);
  if (type === 'date_time') return <Time at={String(value)} />;
  const shown = [value].flat().join(', ');
  return length > value.length ? `${shown} …` : shown;
}

/** Path of the form of an item, in the language of the list. */
export function itemPath(project: string, item: string, state: ListState): string {
  return `/projects/${project}/items/${item}${query({ language: state.get('language') })}`;
}

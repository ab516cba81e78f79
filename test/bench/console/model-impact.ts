import type { Bench, Figure, Measure } from '../benchmark.ts';
import { type ManagedService, startManaged } from '../management/managed-service.ts';
import { median } from '../rounds.ts';
import { startDatabases } from '../scale/databases.ts';

const TARGET_MS = 1000;
const set = (element: string, property: string, value: unknown) => ({
  op: 'replace',
  path: `/elements/codename:${element}/${property}`,
  value,
});
/** Changes of a type that most items have. */
const CHANGES: Readonly<Record<string, readonly object[]>> = {
  'a name': [set('title', 'name', 'Heading')],
  'an element less': [{ op: 'remove', path: '/elements/codename:summary' }],
  'a required element': [set('summary', 'is_required', true)],
  'a limit of characters': [set('title', 'maximum_text_length', { value: 20, applies_to: 'characters' })],
  'a limit of words': [set('summary', 'maximum_text_length', { value: 5, applies_to: 'words' })],
  'a limit of rich text': [set('body', 'maximum_text_length', { value: 50, applies_to: 'words' })],
  'a number of items': [set('related', 'item_count_limit', { value: 1, condition: 'at_most' })],
  'ten changes': [
    set('title', 'name', 'Heading'),
    set('title', 'is_required', true),
    set('title', 'maximum_text_length', { value: 20, applies_to: 'words' }),
    set('summary', 'name', 'Abstract'),
    set('summary', 'is_required', true),
    set('body', 'is_required', true),
    set('rank', 'name', 'Position'),
    set('related', 'item_count_limit', { value: 3, condition: 'at_most' }),
    { op: 'remove', path: '/elements/codename:category' },
    { op: 'remove', path: '/elements/codename:topics' },
  ],
};

/** What a change of the model affects, counted before it, over HTTP. */
export const modelImpact: Measure = {
  name: 'model-impact',
  about:
    'counting what a change of the type that most items have affects, on both databases: the longest of eight changes',
  async run({ datasets, large, rounds, progress }: Bench) {
    const figure = async (database: string, service: ManagedService): Promise<Figure> => {
      const found = await timesOf(service, rounds, (text) => progress(`${database}: ${text}`));
      return {
        name: `impact, longest, ${database}`,
        value: Math.max(...found.map(({ milliseconds }) => milliseconds)),
        unit: 'ms',
        target: { atMost: TARGET_MS },
        detail: found.map(({ name, milliseconds }) => `${name} ${Math.round(milliseconds)}`).join(', '),
      };
    };
    const sqlite = await startManaged(await datasets.copy(await datasets.of(large), 'model-impact'));
    const databases = await startDatabases(datasets, [large]);
    const { dataset, settings } = await databases.of(large);
    const postgres = await startManaged(dataset, settings);
    return [await figure('SQLite', sqlite), await figure('PostgreSQL', postgres)];
  },
  compare: { leftOut: 'an older checkout does not count what a change affects' },
};

async function timesOf(service: ManagedService, rounds: number, progress: (text: string) => void) {
  const { types } = (await service.call('GET', '/types')) as {
    readonly types: readonly { readonly id: string; readonly codename: string }[];
  };
  const type = types.find(({ codename }) => codename === 'article');
  if (!type) throw new Error('The data have no type named article.');
  const found: { readonly name: string; readonly milliseconds: number }[] = [];
  for (const [name, operations] of Object.entries(CHANGES)) {
    const times: number[] = [];
    let detail = '';
    for (let round = 0; round < rounds; round++) {
      const began = performance.now();
      const impact = await service.admin(`projects/${service.project}/types/${type.id}/impact`, {
        operations,
      });
      times.push(performance.now() - began);
      detail = describe(impact as unknown as Impact);
    }
    const milliseconds = median(times);
    found.push({ name, milliseconds });
    progress(`${name}: ${Math.round(milliseconds)} ms, ${detail}`);
  }
  return found;
}

interface Impact {
  readonly documents: number;
  readonly elements: readonly {
    readonly items: number | null;
    readonly breaking: readonly { readonly items: number; readonly is_complete: boolean }[];
  }[];
}

function describe({ documents, elements }: Impact): string {
  const breaking = elements.flatMap((element) =>
    element.breaking.map(
      ({ items, is_complete }) => `${items} items break it${is_complete ? '' : ' at least'}`,
    ),
  );
  return [`${documents} documents`, `${elements[0]?.items ?? 0} items with values`, ...breaking].join(', ');
}

import { expect } from 'chai';
import { hasAllTests } from '../support/long-form.ts';
import {
  type HarbourService,
  type Listing,
  type Single,
  startHarbour,
} from '../support/projects/harbour-service.ts';
import { DEFAULT_LANGUAGE } from '../support/random/content-draft.ts';
import type { Step } from '../support/random/steps.ts';

const ROUNDS = 15;
const language = DEFAULT_LANGUAGE;

function retitle(item: string, title: string): Step[] {
  return [
    { do: 'new-version', item, language },
    { do: 'variant', item, language, values: { title } },
    { do: 'publish', item, language },
  ];
}

/** harbour links to ferry; both get their title in one transaction. */
const ALL = [
  '/items?system.codename[in]=ferry,harbour',
  '/items?system.codename=harbour&depth=1',
  '/items?system.codename=harbour&depth=3',
  '/items?system.codename=harbour&elements=title,related',
  '/items/harbour',
  '/items/harbour?depth=2',
  '/items-feed?system.codename[in]=ferry,harbour',
];
/** The short form: a page, linked items, a single item and the feed. */
const REQUESTS = ALL.filter((_, at) => hasAllTests || [0, 1, 4, 6].includes(at));

describe('delivery: answers while content is published', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
    await service.project.apply([...retitle('ferry', 'Round 0'), ...retitle('harbour', 'Round 0')]);
  });
  after(() => service.stop());

  for (const request of REQUESTS) {
    it(`${request} never mixes two states, and never shows an older one later`, async () => {
      let publishing = true;
      const publish = async () => {
        for (let round = 1; round <= ROUNDS; round += 1) {
          const title = `${request} ${String(round).padStart(3, '0')}`;
          await service.project.apply([...retitle('ferry', title), ...retitle('harbour', title)]);
        }
        publishing = false;
      };
      const read = async () => {
        const seen: string[] = [];
        while (publishing) {
          const { body } = await service.delivery.get<Partial<Listing> & Partial<Single>>(request);
          const shown = [...(body.items ?? [body.item!]), ...Object.values(body.modular_content!)];
          const titles = shown
            .filter(({ system }) => system.codename === 'ferry' || system.codename === 'harbour')
            .map(({ elements }) => elements['title']!.value as string);
          expect(titles.length).to.be.greaterThan(1);
          expect(new Set(titles).size, titles.join(' / ')).to.equal(1);
          seen.push(titles[0]!);
        }
        const own = seen.filter((title) => title.startsWith(request));
        expect(own).to.deep.equal([...own].sort());
      };
      await Promise.all([publish(), read(), read(), read()]);
    });
  }

  it('shows what was published to the very next request', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await service.project.apply(retitle('tide', `Next ${round}`));
      const [single, listed] = await Promise.all([
        service.delivery.get<Single>('/items/tide'),
        service.delivery.get<Listing>(`/items?elements.title=Next ${round}`),
      ]);
      expect(single.body.item.elements['title']!.value).to.equal(`Next ${round}`);
      expect(listed.body.items).to.have.length(1);
    }
  });
});

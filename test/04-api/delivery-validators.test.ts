import { expect } from 'chai';
import { type HarbourService, type Single, startHarbour } from '../support/projects/harbour-service.ts';
import { DEFAULT_LANGUAGE } from '../support/random/content-draft.ts';
import { until } from '../support/until.ts';

const PATHS = [
  '/items',
  '/items?limit=2&order=elements.title[asc]',
  '/items?depth=3',
  '/items/lighthouse',
  '/items-feed',
  '/types',
  '/types/article',
  '/types/article/elements/title',
  '/taxonomies',
  '/taxonomies/topics',
  '/languages',
];

describe('delivery: ETag and freshness', () => {
  let service: HarbourService;
  before(async () => {
    service = await startHarbour();
  });
  after(() => service.stop());

  for (const path of PATHS) {
    it(`${path} has a strong ETag and answers 304 to it`, async () => {
      let first = await service.delivery.get(path);
      // Sent uncompressed, with the tag of that, while compressing takes longer than 100 ms.
      await until(async () => {
        first = await service.delivery.get(path);
        return first.headers.get('content-encoding') !== null;
      });
      const tag = first.headers.get('etag')!;
      expect(tag).to.match(/^"[^"]+"$/);
      for (const value of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
        let again = first;
        await until(async () => {
          again = await service.delivery.get(path, { headers: { 'if-none-match': value } });
          // An answer that was cached anew may have the tag of the uncompressed one at first.
          return again.status !== 304 || again.headers.get('etag') === tag;
        });
        expect([again.status, again.text, again.headers.get('etag')], value).to.deep.equal([304, '', tag]);
      }
      const other = await service.delivery.get(path, { headers: { 'if-none-match': '"other"' } });
      expect([other.status, other.text]).to.deep.equal([200, first.text]);
    });
  }

  for (const encoding of ['br', 'gzip'])
    for (const surface of ['delivery', 'preview'] as const)
      it(`${surface} is compressed with ${encoding} on request, at any length`, async () => {
        for (const path of [...PATHS, '/items?system.type=none']) {
          const headers = { 'accept-encoding': encoding };
          const answer = await service[surface].get(path, { headers });
          expect([answer.status, answer.headers.get('content-encoding')], path).to.deep.equal([
            200,
            encoding,
          ]);
        }
      });

  it('differs between surfaces, queries and languages', async () => {
    const answers = await Promise.all([
      service.delivery.get('/items/anchor'),
      service.preview.get('/items/anchor'),
      service.delivery.get('/items/anchor?depth=0'),
      service.delivery.get('/items/anchor?language=de-DE'),
      service.delivery.get('/items/ferry'),
    ]);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).to.equal(answers.length);
  });

  it('changes as soon as content changes, and published content is visible at once', async () => {
    const before = await service.delivery.get('/items/ferry');
    const tag = before.headers.get('etag')!;
    await service.project.apply([
      { do: 'new-version', item: 'ferry', language: DEFAULT_LANGUAGE },
      { do: 'variant', item: 'ferry', language: DEFAULT_LANGUAGE, values: { title: 'Fast ferry' } },
    ]);
    expect((await service.delivery.get<Single>('/items/ferry')).body.item.elements['title']!.value).to.equal(
      'Ferry',
    );
    await service.project.apply([{ do: 'publish', item: 'ferry', language: DEFAULT_LANGUAGE }]);
    const after = await service.delivery.get<Single>('/items/ferry', { headers: { 'if-none-match': tag } });
    expect(after.status).to.equal(200);
    expect(after.body.item.elements['title']!.value).to.equal('Fast ferry');
    expect(after.headers.get('etag')).not.to.equal(tag);
  });

  it('stops showing unpublished content at once (spec 7)', async () => {
    await service.project.apply([{ do: 'unpublish', item: 'tide', language: DEFAULT_LANGUAGE }]);
    expect((await service.delivery.get('/items/tide')).status).to.equal(404);
    expect((await service.preview.get('/items/tide')).status).to.equal(200);
    const { body } = await service.delivery.get<Single>('/items/lighthouse');
    expect(body.modular_content).not.to.have.property('tide');
  });
});

import { expect } from 'chai';
import sharp from 'sharp';
import { tilesImage } from '../support/images/test-images.ts';
import { isLongForm } from '../support/long-form.ts';
import {
  type AssetService,
  type BytesAnswer,
  getBytes,
  startAssets,
} from '../support/projects/asset-service.ts';

describe('the cache of files', () => {
  let service: AssetService;
  let url: string;
  before(async () => {
    service = await startAssets({ environment: { HEADWATER_PLUGINS__FILE_CACHE__MAX_BYTES: '3000000' } });
  });
  after(() => service.stop());
  beforeEach(async () => {
    ({ url } = await service.store('tiles.png', 'image/png', await tilesImage(6, 4).png().toBuffer()));
  });

  const verdict = ({ headers }: BytesAnswer) => headers.get('cache-status');
  const HIT = 'headwater; hit';

  it('answers the second request from memory, the same to the last header', async () => {
    for (const query of ['', '?w=50', '?w=50&auto=format']) {
      const first = await getBytes(url + query);
      const second = await getBytes(url + query);
      expect(verdict(first), query).to.equal('headwater; fwd=uri-miss; stored');
      expect(verdict(second), query).to.equal(HIT);
      expect(second.bytes.equals(first.bytes)).to.equal(true);
      for (const name of [
        'content-type',
        'content-length',
        'etag',
        'cache-control',
        'x-content-type-options',
        'content-security-policy',
        'accept-ranges',
        'vary',
      ])
        expect(second.headers.get(name), name).to.equal(first.headers.get(name));
      expect(second.headers.get('x-request-id')).not.to.equal(first.headers.get('x-request-id'));
      const head = await getBytes(url + query, {}, 'HEAD');
      expect(head.headers.get('content-length')).to.equal(String(first.bytes.length));
      const etag = first.headers.get('etag')!;
      const same = await getBytes(url + query, { 'if-none-match': `"x", W/${etag}` });
      expect([same.status, verdict(same), same.headers.get('etag')]).to.deep.equal([304, HIT, etag]);
      expect(same.headers.get('vary')).to.equal(first.headers.get('vary'));
    }
  });

  it('has one key for all spellings of a request', async () => {
    await getBytes(`${url}?w=60&h=40&fit=crop`);
    for (const query of [
      'h=40&fit=crop&w=60',
      'w=60&h=40&fit=crop&utm=x',
      'w=60.0&h=40.2&fit=crop&dpr=1.0&w=7',
    ])
      expect(verdict(await getBytes(`${url}?${query}`)), query).to.equal(
        query.includes('dpr') ? 'headwater; fwd=uri-miss; stored' : HIT,
      );
  });

  it('never sends WebP to a client that does not accept it, whichever client came first', async () => {
    const webp = { accept: 'image/webp' };
    for (const query of ['auto=format', '%61uto=format&w=33', 'auto=webp&w=34']) {
      expect((await getBytes(`${url}?${query}`, webp)).headers.get('content-type')).to.equal('image/webp');
      expect((await getBytes(`${url}?${query}`)).headers.get('content-type')).to.equal('image/png');
      const again = await getBytes(`${url}?${query}`, { accept: 'text/html, image/webp;q=0.5' });
      expect([verdict(again), again.headers.get('content-type')]).to.deep.equal([HIT, 'image/webp']);
      expect(again.headers.get('vary')).to.match(/\bAccept\b(?!-)/);
    }
  });

  it('passes ranges and large files on to core', async () => {
    await getBytes(url);
    const part = await getBytes(url, { range: 'bytes=0-3' });
    expect([part.status, part.bytes.length, verdict(part)]).to.deep.equal([206, 4, null]);
    const large = await service.store('large.bin', 'x/y', Buffer.alloc(1_100_000));
    for (let time = 0; time < 2; time += 1) expect(verdict(await getBytes(large.url))).to.equal(null);
  });

  it('drops a file with its asset, and nothing else', async () => {
    const other = await service.store('other.txt', 'text/plain', Buffer.from('other'));
    const upload = await service.v2.post<{ id: string }>('/files/gone.txt', 'gone', {
      'content-type': 'text/plain',
    });
    const asset = await service.v2.post<{ id: string; url: string }>('/assets', {
      file_reference: { id: upload.body.id, type: 'internal' },
      descriptions: [],
    });
    const gone = asset.body.url;
    for (const file of [gone, other.url]) await getBytes(file);
    expect(verdict(await getBytes(gone))).to.equal(HIT);
    const cached = async () =>
      Number(
        /^headwater_file_cache_entries (\d+)$/m.exec(
          await (await fetch(`${service.service.url}/metrics`)).text(),
        )?.[1],
      );
    const before = await cached();
    await service.v2.delete(`/assets/${asset.body.id}`);
    expect(await cached()).to.equal(before - 1);
    expect((await getBytes(gone)).status).to.equal(404);
    expect(verdict(await getBytes(other.url))).to.equal(HIT);
  });

  it('has one image made for all clients at once', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => getBytes(`${url}?w=77`)));
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).to.equal(1);
    expect(answers.filter((answer) => verdict(answer) === 'headwater; fwd=uri-miss; stored')).to.have.length(
      1,
    );
  });

  it('stays within its bound on bytes', async () => {
    const noise = await sharp({
      create: {
        width: 400,
        height: 400,
        channels: 3,
        background: 'red',
        noise: { type: 'gaussian', mean: 120, sigma: 60 },
      },
    })
      .png()
      .toBuffer();
    const { url: large } = await service.store('noise.png', 'image/png', noise);
    for (let width = isLongForm ? 380 : 390; width <= 400; width += 1) await getBytes(`${large}?w=${width}`);
    const metrics = await (await fetch(`${service.service.url}/metrics`)).text();
    const bytes = Number(/^headwater_file_cache_bytes (\d+)$/m.exec(metrics)?.[1]);
    expect(bytes).to.be.within(1_000_000, 3_000_000);
    expect(verdict(await getBytes(`${large}?w=400`))).to.equal(HIT);
  });
});

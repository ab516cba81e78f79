/** Images through the whole service: gateway, core and host processes. */
import { expect } from 'chai';
import sharp from 'sharp';
import { animation, decode, tilesImage } from '../support/images/test-images.ts';
import { type AssetService, getBytes, startAssets } from '../support/projects/asset-service.ts';

describe('images at their URLs', () => {
  let service: AssetService;
  let photo: string;
  let drawing: string;
  before(async () => {
    service = await startAssets();
    photo = (await service.store('tiles.jpg', 'image/jpeg', await tilesImage(15, 10).jpeg().toBuffer())).url;
    const clear = sharp({ create: { width: 60, height: 40, channels: 4, background: '#ff000000' } });
    drawing = (await service.store('clear.png', 'image/png', await clear.png().toBuffer())).url;
  });
  after(() => service.stop());

  // As clients write them, taken from the tests of published builders.
  const urls: readonly [query: string, format: string, width: number, height: number][] = [
    ['w=100&h=100&fit=scale&dpr=2&rect=10,10,250,150&fm=jpg&auto=webp&lossless=true', 'jpeg', 200, 150],
    ['w=0.5', 'jpeg', 150, 100],
    ['w=97.0123456789', 'jpeg', 97, 65],
    ['dpr=3.55&w=20', 'jpeg', 71, 47],
    ['rect=0.5,0.5,50,50', 'jpeg', 50, 50],
    ['w=50&h=40&fit=crop&crop=focalpoint&fp-x=550&fp-y=0.2&fp-z=1.5', 'jpeg', 50, 40],
    ['q=60.66', 'jpeg', 300, 200],
    ['fm=webp&lossless=true', 'webp', 300, 200],
    ['w=5000', 'jpeg', 300, 200],
  ];
  for (const [query, format, width, height] of urls) {
    it(`${query} is ${format}, ${width} × ${height}`, async () => {
      const { status, headers, bytes } = await getBytes(`${photo}?${query}`);
      expect(status).to.equal(200);
      expect(headers.get('content-type')).to.equal(`image/${format}`);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('content-security-policy')).to.include("default-src 'none'");
      expect(await decode(bytes)).to.include({ format, width, height });
    });
  }

  it('have the same bytes and tag the second time, and 304 with that tag', async () => {
    const [one, two] = [await getBytes(`${photo}?w=64`), await getBytes(`${photo}?x=1&w=64&fit=clip`)];
    expect(one.bytes.equals(two.bytes)).to.equal(true);
    const etag = one.headers.get('etag')!;
    expect(two.headers.get('etag')).to.equal(etag);
    expect(etag).not.to.equal((await getBytes(photo)).headers.get('etag'));
    const same = await getBytes(`${photo}?w=64`, { 'if-none-match': etag });
    expect(same.status).to.equal(304);
    const part = await getBytes(`${photo}?w=64`, { range: 'bytes=0-9' });
    expect(part.status).to.equal(206);
    expect(part.bytes.equals(one.bytes.subarray(0, 10))).to.equal(true);
    const head = await getBytes(`${photo}?w=64`, {}, 'HEAD');
    expect(head.headers.get('content-length')).to.equal(String(one.bytes.length));
  });

  it('are WebP where the browser accepts it and the URL negotiates it; both answers vary', async () => {
    for (const query of ['auto=format', 'auto=format&w=10', 'auto=webp&fm=png']) {
      const webp = await getBytes(`${photo}?${query}`, { accept: 'image/webp,*/*' });
      const other = await getBytes(`${photo}?${query}`, { accept: 'image/png,*/*' });
      expect(webp.headers.get('content-type')).to.equal('image/webp');
      expect(other.headers.get('content-type')).to.equal(query.includes('png') ? 'image/png' : 'image/jpeg');
      for (const { headers } of [webp, other]) expect(headers.get('vary')).to.match(/\bAccept\b(?!-)/);
    }
  });

  it('are the original bytes where parameters contradict each other or have no effect', async () => {
    const original = await getBytes(photo);
    for (const query of [
      'w=0',
      'w=-1',
      'w=NaN',
      'w=1e3',
      'w=Infinity',
      `w=${'9'.repeat(30_000)}`,
      'h=8193',
      'dpr=2',
      'fit=crop',
      'w=0.5&h=0.5&fit=crop',
      'rect=300,0,1,1',
      'rect=0,0,9,9&w=5&h=5&fit=crop&crop=focalpoint',
      'bg=ff0000',
      'fm=avif',
      'w=%',
      'w=%FF%FE',
      '%77=\u0000',
      '&&&==',
    ]) {
      const answer = await getBytes(`${photo}?${query}`);
      expect(answer.status, query).to.equal(200);
      expect(answer.bytes.equals(original.bytes), query).to.equal(true);
      expect(answer.headers.get('etag'), query).to.equal(original.headers.get('etag'));
      expect(answer.headers.get('content-type'), query).to.equal('image/jpeg');
    }
  });

  it('are white where a transparent one becomes a JPEG', async () => {
    const { bytes } = await getBytes(`${drawing}?fm=jpg`);
    expect((await decode(bytes)).at(30, 20)).to.deep.equal({ r: 255, g: 255, b: 255, a: 255 });
  });

  it('stay animated as GIF and WebP', async () => {
    const moving = await animation(20, 10, ['#ff0000', '#00ff00', '#0000ff'], 'gif');
    const { url } = await service.store('moving.gif', 'image/gif', moving);
    expect(await decode((await getBytes(`${url}?w=10`)).bytes)).to.include({
      format: 'gif',
      frames: 3,
      width: 10,
    });
    const accept = 'image/webp';
    const webp = await getBytes(`${url}?w=10&auto=format`, { accept });
    expect(await decode(webp.bytes)).to.include({ format: 'webp', frames: 3, width: 10, height: 5 });
  });

  it('of nearly every kind of damage are answered: the original or an image', async () => {
    const whole = await tilesImage(6, 4).png().toBuffer();
    const files = [1, 20, 50, 90, 99].map((percent) =>
      whole.subarray(0, Math.ceil((whole.length * percent) / 100)),
    );
    for (const [index, file] of files.entries()) {
      const { url } = await service.store(`torn-${index}.png`, 'image/png', file);
      const answer = await getBytes(`${url}?w=30`);
      expect(answer.status).to.equal(200);
      // The last percents hold nothing but checksums: a decoder may do without.
      if (index < 4) expect(answer.bytes.equals(file)).to.equal(true);
      else if (!answer.bytes.equals(file)) expect((await decode(answer.bytes)).width).to.equal(30);
    }
  });
});

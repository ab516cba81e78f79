/** Files by URL: ranges, validators, names, executable content, missing files. */
import { randomBytes } from 'node:crypto';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { rawRequest } from '../support/clients/raw-http.ts';
import { type AssetService, getBytes, startAssets } from '../support/projects/asset-service.ts';
import { until } from '../support/until.ts';

describe('files of assets', () => {
  let service: AssetService;
  before(async () => {
    service = await startAssets();
  });
  after(() => service.stop());

  describe('in ranges', () => {
    const small = randomBytes(5000);
    const large = randomBytes(2_500_000);
    const urls = new Map<Buffer, string>();
    before(async () => {
      urls.set(small, (await service.store('small.bin', 'application/octet-stream', small)).url);
      urls.set(large, (await service.store('large.bin', 'application/octet-stream', large)).url);
    });

    for (const [what, file] of [
      ['a small file', small],
      ['a file that streams', large],
    ] as const) {
      const ranges: readonly [string, number, number][] = [
        ['bytes=0-0', 0, 0],
        ['bytes=0-999', 0, 999],
        ['bytes=1000-', 1000, file.length - 1],
        ['bytes=-10', file.length - 10, file.length - 1],
        [`bytes=-${file.length + 5}`, 0, file.length - 1],
        [`bytes=10-${file.length * 2}`, 10, file.length - 1],
        ['Bytes = 3 - 4', 3, 4],
      ];
      for (const [range, start, end] of ranges) {
        it(`deliver ${range} of ${what}`, async () => {
          const answer = await getBytes(urls.get(file)!, { range });
          expect(answer.status).to.equal(206);
          expect(answer.headers.get('content-range')).to.equal(`bytes ${start}-${end}/${file.length}`);
          expect(answer.headers.get('content-length')).to.equal(String(end - start + 1));
          expect(answer.bytes.equals(file.subarray(start, end + 1))).to.equal(true);
        });
      }

      for (const range of [
        'bytes=0-1,5-6',
        'bytes=5-2',
        'bytes=-',
        'bytes=a-b',
        'lines=0-1',
        'bytes=0x1-2',
        '',
        'bytes=--5',
      ]) {
        it(`deliver the whole of ${what} for '${range}'`, async () => {
          const answer = await getBytes(urls.get(file)!, { range });
          expect(answer.status).to.equal(200);
          expect(answer.headers.get('accept-ranges')).to.equal('bytes');
          expect(answer.headers.get('content-length')).to.equal(String(file.length));
          expect(answer.bytes.equals(file)).to.equal(true);
        });
      }

      for (const range of [`bytes=${file.length}-`, `bytes=99999999999999999999-`, 'bytes=-0']) {
        it(`answer 416 for '${range}' of ${what}`, async () => {
          const answer = await getBytes(urls.get(file)!, { range });
          expect(answer.status).to.equal(416);
          expect(answer.headers.get('content-range')).to.equal(`bytes */${file.length}`);
        });
      }

      it(`deliver a range of ${what} only while it is the same file`, async () => {
        const url = urls.get(file)!;
        const etag = (await getBytes(url)).headers.get('etag')!;
        const range = 'bytes=0-9';
        expect((await getBytes(url, { range, 'if-range': etag })).status).to.equal(206);
        for (const other of ['"other"', `W/${etag}`, 'Wed, 21 Oct 2065 07:28:00 GMT'])
          expect((await getBytes(url, { range, 'if-range': other })).status, other).to.equal(200);
        expect((await getBytes(url, { range, 'if-none-match': etag })).status).to.equal(304);
      });

      it(`answer HEAD of ${what} without ranges`, async () => {
        for (const headers of [undefined, { range: 'bytes=0-9' }]) {
          const answer = await getBytes(urls.get(file)!, headers, 'HEAD');
          expect(answer.status).to.equal(200);
          expect(answer.headers.get('content-length')).to.equal(String(file.length));
          expect(answer.bytes).to.have.length(0);
        }
      });

      it(`deliver ${what} only with a matching If-Match`, async () => {
        const url = urls.get(file)!;
        const etag = (await getBytes(url)).headers.get('etag')!;
        for (const same of [etag, '*', `"other", ${etag}`])
          expect((await getBytes(url, { 'if-match': same })).status, same).to.equal(200);
        for (const other of ['"other"', `W/${etag}`])
          for (const [name, value] of [
            ['accept', '*/*'],
            ['range', 'bytes=0-9'],
            ['if-none-match', etag],
          ] as const)
            expect((await getBytes(url, { 'if-match': other, [name]: value })).status, name).to.equal(412);
      });
    }
  });

  it('are closed after HEAD and when clients disconnect', async () => {
    const { url } = await service.store('heads.bin', 'application/octet-stream', randomBytes(1_500_000));
    const open = async () => {
      const places = await readdir('/proc/self/fd');
      const files = await Promise.all(places.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
      return files.filter((file) => file.startsWith(join(service.service.dataDir, 'files'))).length;
    };
    for (let times = 0; times < 20; times += 1) {
      await getBytes(url, {}, 'HEAD');
      const leaving = new AbortController();
      await fetch(url, { signal: leaving.signal });
      leaving.abort();
    }
    await until(async () => (await open()) === 0);
  });

  it('have a strong ETag and may be cached for ever; 304 has the headers of 200', async () => {
    const one = await service.store('one.txt', 'text/plain', Buffer.from('same'));
    const two = await service.store('two.txt', 'text/plain', Buffer.from('same'));
    const [first, second] = await Promise.all([getBytes(one.url), getBytes(two.url)]);
    const etag = first.headers.get('etag')!;
    expect(etag).to.match(/^"[^"]{16,}"$/);
    expect(second.headers.get('etag')).to.equal(etag);
    expect(first.headers.get('cache-control')).to.match(/public.*max-age=31536000.*immutable/);
    for (const candidate of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await getBytes(one.url, { 'if-none-match': candidate });
      expect(answer.status, candidate).to.equal(304);
      expect(answer.headers.get('etag')).to.equal(etag);
      expect(answer.bytes).to.have.length(0);
    }
  });

  describe('with content that browsers may execute', () => {
    const page = Buffer.from('  <!DOCTYPE html><script>alert(1)</script>');
    const drawing = Buffer.from(
      '<?xml version="1.0"?><!-- x --><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
    );
    const files: readonly [name: string, type: string, content: Buffer, saved: boolean][] = [
      ['page.html', 'text/html', page, true],
      ['page.html', 'TEXT/HTML; charset=utf-8', page, true],
      ['page.png', 'image/png', page, true],
      ['page.txt', 'text/plain', page, true],
      ['page.bin', 'application/octet-stream', page, true],
      ['utf-16.txt', 'text/plain', Buffer.from('\ufeff<html>', 'utf16le'), true],
      ['drawing.svg', 'image/svg+xml', drawing, true],
      ['drawing.jpg', 'image/jpeg', drawing, true],
      ['feed.xml', 'application/atom+xml', Buffer.from('<?xml version="1.0"?><feed/>'), true],
      ['script.js', 'text/javascript', Buffer.from('alert(1)'), true],
      ['script.js', 'application/x-javascript', Buffer.from('alert(1)'), true],
      ['script.js', 'text/ecmascript', Buffer.from('alert(1)'), true],
      ['parts.mht', 'multipart/related', page, true],
      ['tight.png', 'image/png', Buffer.from('<svg/onload=alert(1)>'), true],
      ['named.txt', 'text/plain', Buffer.from(`<!DOCTYPE svg "${'x'.repeat(2000)}"><svg/>`), true],
      ['note.txt', 'text/plain', Buffer.from('a < b, as everybody knows'), false],
      ['paper.pdf', 'application/pdf', Buffer.from('%PDF-1.7 …'), false],
      ['data.json', 'application/json', Buffer.from('{"html":"<html>"}'), false],
    ];
    for (const [name, type, content, saved] of files) {
      it(`${name} as ${type} is ${saved ? 'saved' : 'shown'}`, async () => {
        const { url } = await service.store(name, type, content);
        const { headers, bytes } = await getBytes(url);
        expect(bytes.equals(content)).to.equal(true);
        expect(headers.get('content-type')).to.equal(type.split(';')[0]!.toLowerCase());
        expect(headers.get('x-content-type-options')).to.equal('nosniff');
        expect(headers.get('content-security-policy')).to.include("default-src 'none'");
        expect((headers.get('content-disposition') ?? '').startsWith('attachment')).to.equal(saved);
        if (type !== 'application/pdf') expect(headers.get('content-security-policy')).to.include('sandbox');
      });
    }
  });

  it('are downloaded under escaped names, in both forms', async () => {
    const names: readonly [string, string, string][] = [
      ['a.html', 'a.html', 'a.html'],
      ['Ünï cödé.html', 'Uni code.html', '%C3%9Cn%C3%AF%20c%C3%B6d%C3%A9.html'],
      [`it's "quoted"; x=y.html`, `it's _quoted_; x=y.html`, 'it%27s%20%22quoted%22%3B%20x%3Dy.html'],
      ['100%(1)*.html', '100_(1)*.html', '100%25%281%29%2A.html'],
      ['日本.html', '__.html', '%E6%97%A5%E6%9C%AC.html'],
    ];
    for (const [name, plain, extended] of names) {
      const { url } = await service.store(name, 'text/html', Buffer.from('<p>'));
      expect((await getBytes(url)).headers.get('content-disposition')).to.equal(
        `attachment; filename="${plain}"; filename*=UTF-8''${extended}`,
      );
    }
  });

  describe('that do not exist', () => {
    it('answer 404: unknown ids, other names, deeper paths, path traversal', async () => {
      const { url, file } = await service.store('there.txt', 'text/plain', Buffer.from('x'));
      const base = url.slice(0, url.lastIndexOf('/'));
      const project = base.slice(0, base.lastIndexOf('/'));
      for (const path of [
        `${base}/other.txt`,
        `${base}/THERE.txt`,
        `${base}`,
        `${url}/more`,
        `${base}/..%2fthere.txt`,
        `${base}/%2e%2e%2f%2e%2e%2fetc%2fpasswd`,
        `${base}/there.txt%00`,
        `${project}/00000000-0000-0000-0000-000000000001/there.txt`,
        `${project}/${'a'.repeat(5000)}/there.txt`,
        url.replace(service.project.id, '00000000-0000-0000-0000-00000000dead'),
      ]) {
        const { status } = await fetch(path);
        expect(status, path).to.be.oneOf([400, 404]);
      }
      expect((await getBytes(`${project}/${file.toUpperCase()}/there.txt`)).status).to.equal(200);
      for (const path of [
        '/../../../etc/passwd',
        '/%2e%2e/headwater.db',
        `/${service.project.id}/../../headwater.db`,
      ]) {
        const answer = await rawRequest(
          service.service.url,
          `GET /assets${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        );
        expect(answer.status, path).to.be.oneOf([400, 404]);
      }
    });

    it('accept only GET and HEAD', async () => {
      const { url } = await service.store('read.txt', 'text/plain', Buffer.from('x'));
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const answer = await fetch(url, { method });
        expect(answer.status, method).to.equal(405);
        expect(answer.headers.get('allow')).to.include('GET');
      }
    });
  });

  it('of a deleted asset answer 404 at once, and are restored with it', async () => {
    const image = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    const { v2, project } = service;
    const upload = await v2.post<{ id: string }>('/files/gone.png', image, { 'content-type': 'image/png' });
    const body = { file_reference: { id: upload.body.id, type: 'internal' }, descriptions: [] };
    const asset = await v2.put<{ id: string; url: string }>('/assets/external-id/gone', body);
    const { url } = asset.body;
    expect(url).to.include(project.id);
    const etag = (await getBytes(url)).headers.get('etag')!;
    for (const path of [url, `${url}?w=4`]) expect((await getBytes(path)).status).to.equal(200);
    expect((await v2.delete(`/assets/${asset.body.id}`)).status).to.equal(204);
    for (const path of [url, `${url}?w=4`]) {
      expect((await getBytes(path)).status).to.equal(404);
      expect((await getBytes(path, { 'if-none-match': etag })).status).to.equal(404);
    }
    await v2.put('/assets/external-id/gone', body);
    expect((await getBytes(url)).status).to.equal(200);
  });

  it('that were replaced keep their URL; the asset shows the new one', async () => {
    const { v2 } = service;
    const upload = async (text: string) =>
      (await v2.post<{ id: string }>('/files/note.txt', text, { 'content-type': 'text/plain' })).body.id;
    const put = async (file: string) =>
      (
        await v2.put<{ url: string }>('/assets/external-id/replaced', {
          file_reference: { id: file, type: 'internal' },
          descriptions: [],
        })
      ).body.url;
    const before = await put(await upload('before'));
    expect((await getBytes(before)).bytes.toString()).to.equal('before');
    const after = await put(await upload('after'));
    expect(after).not.to.equal(before);
    expect((await getBytes(after)).bytes.toString()).to.equal('after');
    expect((await getBytes(before)).bytes.toString()).to.equal('before');

    // Deleting the asset removes all of them; restoring brings back only the current one.
    await v2.delete('/assets/external-id/replaced');
    for (const url of [before, after]) expect((await getBytes(url)).status).to.equal(404);
    const again = await put(await upload('again'));
    expect((await getBytes(again)).bytes.toString()).to.equal('again');
    for (const url of [before, after]) expect((await getBytes(url)).status).to.equal(404);
  });
});

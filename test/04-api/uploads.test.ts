/** Failing uploads leave nothing and do not affect others. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import sharp from 'sharp';
import { receiveFile } from '../../core/assets/files.ts';
import { ServiceError } from '../../core/contract.ts';
import { open, parseAnswer, rawRequest, readAll } from '../support/clients/raw-http.ts';
import { type AssetService, getBytes, startAssets } from '../support/projects/asset-service.ts';
import { until } from '../support/until.ts';

describe('uploads', () => {
  let service: AssetService;
  before(async () => {
    service = await startAssets({ environment: { HEADWATER_PLUGINS__LIMITS__BODY_BYTES: '3000000' } });
  });
  after(() => service.stop());

  const unfinished = () => service.service.unfinishedFiles();
  /** Whole or not. */
  const stored = async () => [...(await service.service.storedFiles()), ...(await unfinished())];
  const head = (name: string, ...lines: string[]) =>
    [
      `POST /manage/v2/projects/${service.project.id}/files/${name} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${service.key}`,
      'Content-Type: application/octet-stream',
      ...lines,
      '',
      '',
    ].join('\r\n');

  it('of a megabyte and more are stored byte for byte, by the hash of their content', async () => {
    const content = randomBytes(2_000_000);
    const upload = await service.v2.post<{ id: string }>('/files/big.bin', content, {
      'content-type': 'application/octet-stream',
    });
    expect(upload.status).to.equal(200);
    const { bytes } = await getBytes(
      `${service.service.url}/assets/${service.project.id}/${upload.body.id}/big.bin`,
    );
    expect(bytes.equals(content)).to.equal(true);
    expect(await stored()).to.include(createHash('sha256').update(content).digest('hex').slice(2));
  });

  it('without a length, in chunks, are accepted', async () => {
    const answer = await rawRequest(
      service.service.url,
      `${head('chunks.bin', 'Transfer-Encoding: chunked', 'Connection: close')}5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`,
    );
    expect(answer.status).to.equal(200);
    const { id } = JSON.parse(answer.body) as { id: string };
    const url = `${service.service.url}/assets/${service.project.id}/${id}/chunks.bin`;
    expect((await getBytes(url)).bytes.toString()).to.equal('hello!');
  });

  for (const [what, start] of [
    ['with a length', () => `${head('drop.bin', 'Content-Length: 900000')}${'x'.repeat(400_000)}`],
    [
      'in chunks',
      () => `${head('drop.bin', 'Transfer-Encoding: chunked')}61a80\r\n${'x'.repeat(400_000)}\r\n5\r\nhal`,
    ],
  ] as const) {
    it(`whose connection drops, ${what}, leave nothing`, async () => {
      const before = await stored();
      const socket = await open(service.service.url);
      socket.write(start());
      await until(async () => (await unfinished()).length > 0);
      socket.resetAndDestroy();
      await until(async () => (await unfinished()).length === 0);
      expect(await stored()).to.have.members(before);
    });
  }

  it('that are too long are refused, before and during the transfer, and leave nothing', async () => {
    const before = await stored();
    const refused = await rawRequest(service.service.url, head('long.bin', 'Content-Length: 3000001'));
    expect(refused.status).to.equal(413);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const found = await rawRequest(
      service.service.url,
      `${head('long.bin', 'Transfer-Encoding: chunked', 'Connection: close')}${chunk.repeat(3)}0\r\n\r\n`,
    );
    expect(found.status).to.equal(413);
    await until(async () => (await unfinished()).length === 0);
    expect(await stored()).to.have.members(before);
  });

  it('that are refused during the transfer get a complete answer, and the connection is closed', async () => {
    const socket = await open(service.service.url);
    let lost: Error | undefined;
    socket.on('error', (error) => {
      lost = error;
    });
    const answer = readAll(socket);
    socket.write(head('wrong.bin', 'Content-Length: 900000').replace(service.key, 'wrong'));
    // The refusal is sent; a reset for unread bytes would overtake it.
    for (let sent = 0; sent < 9 && !socket.destroyed; sent += 1) {
      await setTimeout(20);
      if (!socket.destroyed) socket.write('x'.repeat(100_000));
    }
    const { status, headers, body } = parseAnswer(await answer);
    expect(status).to.equal(401);
    expect(headers['connection']).to.equal('close');
    expect(JSON.parse(body)).to.include({ error_code: 3 });
    expect(lost).to.equal(undefined);
  });

  it('with an invalid length, or with two, are refused', async () => {
    for (const lines of [
      ['Content-Length: -5'],
      ['Content-Length: 5x'],
      ['Content-Length: 5', 'Content-Length: 6'],
      ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ]) {
      const answer = await rawRequest(service.service.url, `${head('odd.bin', ...lines)}hello`);
      expect(answer.status, lines.join()).to.equal(400);
    }
  });

  it('of fewer or more bytes than announced leave nothing, directly or by a proxy', async () => {
    const { blobs } = service.service.core.operations;
    const before = await stored();
    const pieces = async function* () {
      yield Buffer.from('hel');
      yield Buffer.from('lo');
    };
    for (const length of [0, 3, 4, 6, 1000]) {
      const error = await receiveFile(blobs, pieces(), length).catch((thrown: unknown) => thrown);
      expect(error, String(length)).to.be.instanceOf(ServiceError);
      expect((error as ServiceError).status).to.equal(400);
    }
    expect(await stored()).to.have.members(before);
    expect((await receiveFile(blobs, pieces(), 5)).size).to.equal(5);
  });

  it('without a name, or with a path as name, are refused', async () => {
    for (const name of [
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      'a%5cb',
      '%2fetc',
      'a%0ab',
      'a%7fb',
      '%20',
      'x'.repeat(201),
    ]) {
      const answer = await rawRequest(
        service.service.url,
        `${head(name, 'Content-Length: 1', 'Connection: close')}x`,
      );
      expect(answer.status, name).to.equal(400);
    }
    // An empty name is another path; a broken or null one never gets as far.
    for (const name of ['', '%', '%00', '..', '.'])
      expect(
        (await rawRequest(service.service.url, `${head(name, 'Content-Length: 1', 'Connection: close')}x`))
          .status,
        name,
      ).to.be.within(400, 404);
  });

  it('of the same content at the same time are stored once', async () => {
    const before = (await stored()).length;
    const content = randomBytes(50_000);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        service.v2.post<{ id: string }>(`/files/same-${index}.bin`, content, { 'content-type': 'x/y' }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.id)).size).to.equal(10);
    expect((await stored()).length).to.equal(before + 1);
  });

  it('detect the size of an image, whatever type was declared', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d494844520000010200000003080200000000000000', 'hex');
    const upload = await service.v2.post<{ id: string; type: string }>('/files/p.txt', png, {
      'content-type': 'text/plain',
    });
    const asset = await service.v2.post('/assets', { file_reference: upload.body, descriptions: [] });
    expect(asset.body).to.include({
      type: 'text/plain',
      image_width: 258,
      image_height: 3,
      size: png.length,
    });
  });

  it('detect the size of the upright image', async () => {
    const side = { create: { width: 30, height: 20, channels: 3, background: 'red' } } as const;
    const photo = await sharp(side).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    const upload = await service.v2.post('/files/p.jpg', photo, { 'content-type': 'image/jpeg' });
    const asset = await service.v2.post('/assets', { file_reference: upload.body, descriptions: [] });
    expect(asset.body).to.include({ image_width: 20, image_height: 30 });
  });
});

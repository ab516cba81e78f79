import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { rawRequest } from '../support/clients/raw-http.ts';
import { leastTimeOf } from '../support/measure/least-of.ts';
import { type ManageError, type ManageService, startManage } from '../support/projects/manage-service.ts';

describe('management: bodies', () => {
  let service: ManageService;
  before(async () => {
    service = await startManage();
  });
  after(() => service.stop());

  const refused = async (body: string | Uint8Array, headers: Record<string, string> = {}) => {
    const before = (await service.v2.get('/items')).text;
    const answer = await service.v2.post<ManageError>('/items', body, headers);
    expect((await service.v2.get('/items')).text).to.equal(before);
    return answer;
  };

  const BROKEN: readonly (readonly [title: string, body: string, line: number, position: number])[] = [
    ['a missing quote', '{"name: "x"}', 1, 10],
    ['a missing colon', '{\n  "name" "x"\n}', 2, 10],
    ['a missing comma', '{"name": "x"\n "type": 1}', 2, 2],
    ['a comma too many', '{"name": "x",}', 1, 14],
    ['a name without quotes', '{name: "x"}', 1, 2],
    ['single quotes', "{'name': 'x'}", 1, 2],
    ['a comment', '{"name": "x" // text\n}', 1, 14],
    ['a missing bracket', '{"name": [1, 2}', 1, 15],
    ['an end too early', '{"name": ', 1, 10],
    ['more than one value', '{} {}', 1, 4],
    ['a control character in a text', '{"name": "a\tb"}', 1, 10],
    ['an escape that is none', '{"name": "\\q"}', 1, 10],
    ['a number that is none', '{"name": 01}', 1, 11],
    ['a word that is none', '{"name": truth}', 1, 10],
    ['brackets without end', '['.repeat(200), 1, 201],
    ['nothing but a bracket', ']', 1, 1],
  ];
  for (const [title, body, line, position] of BROKEN) {
    it(`${title} is refused with line and position (spec 7)`, async () => {
      const answer = await refused(body);
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
      const [finding] = answer.body.validation_errors!;
      expect([finding?.line, finding?.position], finding?.message).to.deep.equal([line, position]);
    });
  }

  it('a property given twice is refused with line and position, also when written with escapes', async () => {
    for (const body of [
      '{"name": "a",\n "name": "b"}',
      '{"name": "a",\n "n\\u0061me": "b"}',
      '{"type": {"id": "a"},\n "type": 1}',
    ]) {
      const answer = await refused(body);
      const [finding] = answer.body.validation_errors!;
      expect([answer.status, finding?.line, finding?.position], body).to.deep.equal([400, 2, 2]);
    }
    const nested = await refused('{"a": [{"x": 1}, {"x": 2, "y": {"x": 3, "x": 4}}]}');
    expect(nested.body.validation_errors![0]?.message).to.include("'x'");
  });

  it('half a surrogate pair is refused with line and position, as a value and as a name; a whole one is fine', async () => {
    for (const body of [
      '{"name":\n "a\\ud83d"}',
      '{"name":\n "\\uDE00\\uD83D"}',
      '{"type": 1,\n "\\udfff": 1}',
    ]) {
      const answer = await refused(body);
      const [finding] = answer.body.validation_errors!;
      expect([answer.status, finding?.line, finding?.position], body).to.deep.equal([400, 2, 2]);
    }
    const whole = '{"name": "a \\ud83d\\ude00 \\\\ud83d", "type": {"codename": "note"}}';
    const { status, body } = await service.v2.post<{ name: string }>('/items', whole);
    expect([status, body.name]).to.deep.equal([201, 'a 😀 \\ud83d']);
  });

  it('guidelines and names of files are counted in characters', async () => {
    const elements = [{ name: 'a', type: 'text', guidelines: '😀'.repeat(10_000) }];
    const made = await service.v2.post<{ id: string }>('/types', { name: 'Guided', elements });
    expect(made.status, made.text.slice(0, 500)).to.equal(201);
    await service.v2.delete(`/types/${made.body.id}`);
    const send = (name: string) => service.v2.post(`/files/${encodeURIComponent(name)}`, 'content');
    expect((await send('😀'.repeat(200))).status).to.equal(200);
    expect((await send('😀'.repeat(201))).status).to.equal(400);
  });

  it('a message quotes whole characters', async () => {
    const long = `${'x'.repeat(79)}😀😀`;
    for (const body of [
      { name: 'a', type: { codename: long } },
      { name: 'a', type: { codename: 'note' }, sitemap_locations: [{ codename: long }] },
    ]) {
      const { text } = await refused(JSON.stringify(body));
      expect(text).to.include(`'${'x'.repeat(79)}…'`);
    }
  });

  it('a name or an external id of another kind than text is refused as that; a missing name is empty', async () => {
    const type = { codename: 'note' };
    for (const [body, path, message] of [
      [{ name: 5, type }, 'name', 'A string is expected.'],
      [{ name: ['a'], type }, 'name', 'A string is expected.'],
      [{ name: null, type }, 'name', 'The name must not be empty.'],
      [{ type }, 'name', 'The name must not be empty.'],
      [{ name: 'a', external_id: 5, type }, 'external_id', 'A string is expected.'],
      [{ name: 'a', external_id: ' ', type }, 'external_id', 'The external id must not be empty.'],
    ] as const) {
      const answer = await refused(JSON.stringify(body));
      expect([answer.status, answer.body.error_code], JSON.stringify(body)).to.deep.equal([400, 5]);
      expect(answer.body.validation_errors![0]).to.include({ path, message });
    }
  });

  it('the same name in different objects, or as a value, is fine', async () => {
    const body =
      '{"name": "name", "type": {"codename": "note", "name": "name"}, "x": [{"name": 1}, {"name": "a\\\\"}]}';
    expect((await service.v2.post('/items', body)).status).to.equal(201);
  });

  it('deep nesting is refused', async () => {
    const { status, body } = await refused(`{"name": ${'['.repeat(5000)}${']'.repeat(5000)}}`);
    expect([status, body.validation_errors![0]?.message]).to.deep.equal([
      400,
      'The body is nested more than 256 levels deep.',
    ]);
    const endless = await refused('['.repeat(200_000));
    expect(endless.body.validation_errors![0]).to.include({ line: 1, position: 257 });
  });

  it('bytes that are no UTF-8 are refused; a byte order mark is ignored', async () => {
    const latin1 = Buffer.from('{"name": "\xe9"}', 'latin1');
    const { status, body } = await refused(latin1);
    expect([status, body.error_code]).to.deep.equal([400, 5]);
    const marked = Buffer.from('\ufeff{"name": "marked", "type": {"codename": "note"}}');
    expect((await service.v2.post('/items', marked)).status).to.equal(201);
  });

  it('a type in no form of a reference, or in two, is told from one that does not exist', async () => {
    const given: readonly unknown[] = [{}, 'note', { id: 'a', codename: 'note' }, { codename: 5 }];
    for (const type of given) {
      const { body } = await refused(JSON.stringify({ name: 'formless', type }));
      expect(body.validation_errors, JSON.stringify(type)).to.have.length(1);
      expect(body.validation_errors![0]).to.include({
        message: 'A reference with exactly one of id, codename, external_id is expected.',
        path: 'type',
      });
    }
    const { body } = await refused('{"name": "a", "type": {"codename": "none"}}');
    expect(body.validation_errors![0]?.message).to.equal(
      "There is no content type with the codename 'none'.",
    );
  });

  const TYPES: readonly (readonly [type: string, status: number])[] = [
    ['application/json', 201],
    ['application/json; charset=UTF-8', 201],
    ['text/json', 201],
    ['application/vnd.acme+json', 201],
    ['application/x-www-form-urlencoded', 415],
    ['text/plain', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['multipart/form-data; boundary=x', 415],
  ];
  for (const [type, expected] of TYPES) {
    it(`Content-Type ${type}: ${expected}`, async () => {
      const { status } = await service.v2.post(
        '/items',
        { name: 'typed', type: { codename: 'note' } },
        { 'content-type': type },
      );
      expect(status).to.equal(expected);
    });
  }

  it('a compressed body is refused', async () => {
    expect((await refused('{}', { 'content-encoding': 'gzip' })).status).to.equal(415);
  });

  it('no body at all is refused where one is needed', async () => {
    for (const body of [undefined, '', '  \n']) {
      const answer = await service.v2.post<ManageError>('/items', body);
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
    }
  });

  it('7 MB of text are refused by the rule they break, within seconds', async () => {
    const took = await leastTimeOf(3000, async () => {
      const answer = await refused(JSON.stringify({ name: 'x'.repeat(7 * 2 ** 20) }));
      expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
    });
    expect(took).to.be.lessThan(3000);
  });

  const LIMIT = 8_388_608;
  const bodyOf = (bytes: number) => {
    const frame = '{"name":"","type":{"codename":"note"}}';
    return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
  };

  it('8 MiB are read, one byte more is 413, and so often as it is sent', async () => {
    expect((await refused(bodyOf(LIMIT))).status).to.equal(400);
    for (let time = 0; time < 5; time++) {
      const answer = await refused(bodyOf(LIMIT + 1));
      expect([answer.status, answer.body.error_code]).to.deep.equal([413, 2]);
    }
  });

  const raw = (...lines: string[]) => {
    const { hostname, pathname } = new URL(service.v2.baseUrl);
    return [
      `POST ${pathname}/items HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${service.key}`,
      'Content-Type: application/json',
      ...lines,
    ].join('\r\n');
  };

  it('a length beyond the limit is 413 before any of the body is sent, and ends the connection', async () => {
    const answer = await rawRequest(
      service.v2.baseUrl,
      raw('Content-Length: 100000000', 'Expect: 100-continue', '', ''),
    );
    expect([answer.status, answer.headers['connection']]).to.deep.equal([413, 'close']);
    expect(JSON.parse(answer.body).message).to.include(`at most ${LIMIT} bytes`);
  });

  it('chunks beyond the limit are 413, and end the connection', async () => {
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const answer = await rawRequest(
      service.v2.baseUrl,
      raw('Transfer-Encoding: chunked', '', chunk.repeat(9)),
    );
    expect([answer.status, answer.headers['connection']]).to.deep.equal([413, 'close']);
  });

  it('uploads of files have a limit of their own', async () => {
    const json = { 'content-type': 'application/json' };
    expect((await service.v2.post('/files/large.json', bodyOf(LIMIT + 1), json)).status).to.equal(200);
  });

  it('of a hundred thousand wrong references the first hundred are reported', async () => {
    const body = {
      name: 'x',
      type: { codename: 'note' },
      sitemap_locations: new Array(100_000).fill({ id: 'x' }),
    };
    const answer = await refused(JSON.stringify(body));
    expect(answer.body.validation_errors).to.have.length(101);
  });

  it('bodies of nothing but small values are refused before they are read, broken ones too', async () => {
    for (const body of [
      `{"name": [${'1,'.repeat(2_000_000)}1]}`,
      `{"name": [${'{},'.repeat(400_000)}`,
      `{"name": "\\"\n, "${','.repeat(600_000)}`,
    ]) {
      const took = await leastTimeOf(1500, async () => {
        const answer = await refused(body);
        expect([answer.status, answer.body.error_code]).to.deep.equal([400, 5]);
      });
      expect(took).to.be.lessThan(1500);
    }
  });

  it('a body that ends in the middle changes nothing', async () => {
    const before = (await service.v2.get('/items')).text;
    const { hostname, port, pathname } = new URL(service.v2.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(
      [
        `POST ${pathname}/items HTTP/1.1`,
        `Host: ${hostname}`,
        `Authorization: Bearer ${service.key}`,
        'Content-Type: application/json',
        'Content-Length: 1000',
        '',
        '{"name": "half", "type": {"codename": "note"}',
      ].join('\r\n'),
    );
    await setTimeout(50);
    socket.destroy();
    await setTimeout(50);
    expect((await service.v2.get('/items')).text).to.equal(before);
  });
});

import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import {
  array,
  assert,
  constantFrom,
  dictionary,
  integer,
  letrec,
  oneof,
  property,
  string,
  uint8Array,
} from 'fast-check';
import { AUTHENTICATED_LIMITS, Channel } from '../../workers/protocol/channel.ts';
import type { Message } from '../../workers/protocol/messages.ts';
import { pack, unpack } from '../../workers/protocol/packed-record.ts';

/** Records of all that may cross. */
const { record } = letrec((tie) => ({
  record: oneof(
    { maxDepth: 4 },
    string(),
    integer(),
    constantFrom(null, true, false),
    uint8Array({ maxLength: 50 }),
    array(tie('record'), { maxLength: 4 }),
    dictionary(string(), tie('record'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** With bytes as text, so that arrays of either class compare. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, one]) => [key, plain(one)]);
}

describe('the protocol of workers', () => {
  it('carries any record with bytes in it, in chunks of any size', () => {
    assert(
      property(record, integer({ min: 1, max: 200 }), (value, size) => {
        const sent: Buffer[] = [];
        const wire = new PassThrough();
        wire.write = ((chunk: Buffer) => sent.push(Buffer.from(chunk)) > 0) as typeof wire.write;
        const { bytes, ...packed } = pack(value);
        const sender = new Channel(wire);
        sender.send({ kind: 'result', id: 7, resident: 1, ...packed }, bytes);
        sender.send({ kind: 'welcome' });

        const received: { message: Message; bytes: Uint8Array }[] = [];
        const socket = new PassThrough();
        const receiver = new Channel(socket);
        receiver.limits = AUTHENTICATED_LIMITS;
        receiver.onMessage((message, more) => received.push({ message, bytes: more }));
        const whole = Buffer.concat(sent);
        for (let at = 0; at < whole.length; at += size) socket.emit('data', whole.subarray(at, at + size));

        expect(received.map(({ message }) => message.kind)).to.deep.equal(['result', 'welcome']);
        const [first] = received;
        if (first?.message.kind !== 'result') throw new Error('No result came.');
        expect(plain(unpack(first.message, first.bytes))).to.deep.equal(plain(value));
      }),
    );
  });

  it('gives a small result memory of its own, not a piece of a large chunk', () => {
    const socket = new PassThrough();
    const channel = new Channel(socket);
    channel.limits = AUTHENTICATED_LIMITS;
    let held = 0;
    channel.onMessage((_, bytes) => {
      held = bytes.buffer.byteLength;
    });
    const json = Buffer.from('{"kind":"welcome"}');
    const message = Buffer.concat([
      Buffer.from([0, 0, 0, json.length, 0, 0, 0, 5]),
      json,
      Buffer.from('bytes'),
    ]);
    socket.emit(
      'data',
      Buffer.concat([message, Buffer.from([0, 1, 0x86, 0xa0, 0, 0, 0, 0]), Buffer.alloc(60_000)]),
    );
    expect(held).to.equal(5);
  });

  const hostile = {
    'lengths beyond what may come': Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
    'bytes from a client that is not authenticated': Buffer.from([0, 0, 0, 2, 0, 0, 1, 0, 0x7b, 0x7d]),
    'what is no JSON': Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 0x7b, 0x7b]),
    'an HTTP request': Buffer.from('GET / HTTP/1.1\r\nHost: here\r\n\r\n'),
  };
  for (const [what, bytes] of Object.entries(hostile)) {
    it(`cuts off ${what}`, async () => {
      const socket = new PassThrough();
      const channel = new Channel(socket);
      const closed = new Promise((resolve) => channel.onClose(resolve));
      channel.onMessage(() => {
        throw new Error('That was no message.');
      });
      socket.emit('data', bytes);
      await closed;
      expect(socket.destroyed).to.equal(true);
    });
  }

  it('fills only gaps of the record: neither prototypes nor existing values', () => {
    const bytes = new Uint8Array([1]);
    const gap = (...at: string[]) => [{ at, length: 1 }];
    expect(() => unpack({ record: {}, gaps: gap('__proto__', 'polluted') }, bytes)).to.throw(
      'does not exist',
    );
    expect(() => unpack({ record: { a: 1 }, gaps: gap('a') }, bytes)).to.throw('no gap');
    expect(() => unpack({ record: { a: null }, gaps: gap('b') }, bytes)).to.throw('does not exist');
    expect(() => unpack({ record: { a: null }, gaps: [{ at: ['a'], length: 2 }] }, bytes)).to.throw(
      'missing',
    );
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
  });
});

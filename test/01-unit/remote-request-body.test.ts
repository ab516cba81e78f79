import { expect } from 'chai';
import { RequestBody } from '../../core/remote/client/request-body.ts';

describe('the body of a request on its way to core', () => {
  it('can be sent again from its start while it is short, also after a part of it', async () => {
    const body = new RequestBody(pieces(3, 1000));
    const first = body[Symbol.asyncIterator]();
    await first.next();
    expect(body.isWhole).to.equal(true);
    expect(await lengthOf(body)).to.equal(3000);
    expect(await lengthOf(body)).to.equal(3000);
  });

  it('cannot once it is long, and keeps none of it then', async () => {
    const body = new RequestBody(pieces(10, 20_000));
    expect(await lengthOf(body)).to.equal(200_000);
    expect(body.isWhole).to.equal(false);
  });

  it('that failed fails for each reader, and is never complete', async () => {
    const broken = new Error('broken');
    const body = new RequestBody(
      (async function* () {
        yield Buffer.from('a');
        throw broken;
      })(),
    );
    for (let time = 0; time < 2; time++) expect(await failureOf(body)).to.equal(broken);
    expect(body.failure).to.deep.equal({ error: broken });
  });

  it('ends its source with the call; who reads on gets an error, not an end', async () => {
    let isEnded = false;
    const body = new RequestBody(pieces(10, 1000, () => (isEnded = true)));
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    body.end();
    await new Promise(setImmediate);
    expect(isEnded).to.equal(true);
    expect(await reader.next().catch(() => 'failed')).to.equal('failed');
  });

  it('loses nothing where a second reader starts while the first waits', async () => {
    const body = new RequestBody(pieces(4, 10));
    const first = body[Symbol.asyncIterator]();
    const [, total] = await Promise.all([first.next(), lengthOf(body)]);
    expect(total).to.equal(40);
  });
});

async function* pieces(
  count: number,
  bytes: number,
  ended: () => void = () => {},
): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < count; at++) {
      await null;
      yield Buffer.alloc(bytes);
    }
  } finally {
    ended();
  }
}

async function lengthOf(body: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of body) length += piece.length;
  return length;
}

function failureOf(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  return lengthOf(body).then(
    () => undefined,
    (error: unknown) => error,
  );
}

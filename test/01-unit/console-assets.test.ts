/** What the screens of assets compute without a browser: uploads, URLs of images, tiles. */
import { expect } from 'chai';
import { retryLimited, secondsIn } from '../../plugins/console/app/retry-after.ts';
import { EditedText, TextChanged } from '../../plugins/console/app/screens/assets/edited-text.ts';
import {
  type ImageSettings,
  INITIAL,
  imageQuery,
  imageSnippet,
  lacksSize,
  readWidths,
} from '../../plugins/console/app/screens/assets/image-url.ts';
import { moveInTiles, tilesAround } from '../../plugins/console/app/screens/assets/tile-window.ts';
import { type Send, Uploads } from '../../plugins/console/app/screens/assets/uploads.ts';

describe('a call that a limit has refused', () => {
  const refused = (retryAfter?: number) => Object.assign(new Error('limited'), { status: 429, retryAfter });
  /** @returns attempts and the milliseconds between them */
  const tried = async (errors: Error[], pauses: { pause: number; longest: number }, signal?: AbortSignal) => {
    const times: number[] = [];
    const attempt = async () => {
      times.push(performance.now());
      const error = errors.shift();
      if (error) throw error;
    };
    const failure = await retryLimited(attempt, signal ?? new AbortController().signal, pauses).catch(
      (error: Error) => error,
    );
    return { failure, waits: times.slice(1).map((time, at) => time - times[at]!) };
  };

  it('is tried again when the server says so, and after a pause where it says nothing', async () => {
    const { failure, waits } = await tried([refused(0.2), refused()], { pause: 20, longest: 1000 });
    expect(failure).to.equal(undefined);
    expect(waits[0]).to.be.within(195, 1000);
    expect(waits[1]).to.be.within(15, 190);
  });

  it('is given up where the server asks for more time than there is, or refuses it for another reason', async () => {
    const later = refused(2);
    expect(await tried([later], { pause: 20, longest: 1000 })).to.deep.equal({ failure: later, waits: [] });
    const other = Object.assign(new Error('not found'), { status: 404 });
    expect((await tried([other], { pause: 20, longest: 1000 })).failure).to.equal(other);
    const again = await tried(
      [1, 2, 3].map(() => refused()),
      { pause: 20, longest: 50 },
    );
    expect(again.waits).to.have.length(2);
  });

  it('is not tried again once it is canceled, and does not wait to the end', async () => {
    const ending = new AbortController();
    const reason = new Error('canceled');
    setTimeout(() => ending.abort(reason), 20);
    const start = performance.now();
    expect((await tried([refused(30)], { pause: 20, longest: 60_000 }, ending.signal)).failure).to.equal(
      reason,
    );
    expect(performance.now() - start).to.be.below(5000);
  });

  it('has its time as seconds or as a date', () => {
    expect(secondsIn(null)).to.equal(undefined);
    expect(secondsIn('7')).to.equal(7);
    expect(secondsIn(new Date(Date.now() + 60_000).toUTCString())).to.be.within(55, 60);
    expect(secondsIn('Wed, 21 Oct 2015 07:28:00 GMT')).to.equal(0);
    expect(secondsIn('soon')).to.equal(undefined);
  });
});

interface Named {
  readonly name: string;
  readonly size: number;
}

const file = (name: string, size = 1): Named => ({ name, size });
/** Lets promises that are settled take effect. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('uploads', () => {
  /** Each call waits until the test ends it. */
  function controlled() {
    const calls: {
      readonly file: Named;
      readonly signal: AbortSignal;
      readonly stored: string | undefined;
      readonly progress: (part: number) => void;
      end(): void;
      fail(error: Error): void;
    }[] = [];
    const send: Send<Named, string> = (sent, done, progress, signal) =>
      new Promise((resolve, reject) => {
        const stored = done.stored;
        calls.push({
          ...{ file: sent, signal, stored, progress },
          end: () => resolve(true),
          fail(error) {
            done.stored = 'stored';
            reject(error);
          },
        });
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    return { calls, send };
  }
  const kinds = (uploads: Uploads<Named, string>) =>
    uploads.entries.value.map(({ state }) => state.value.kind);

  it('sends three files at a time, and all of 200', async () => {
    const { calls, send } = controlled();
    const uploads = new Uploads<Named, string>(send, 10);
    uploads.add(Array.from({ length: 200 }, (_, at) => file(`${at}`)));
    expect(kinds(uploads).filter((kind) => kind === 'sending')).to.have.length(3);
    expect(uploads.isOpen).to.equal(true);
    for (let at = 0; at < 200; at++) {
      calls[at]?.end();
      await settled();
    }
    expect(calls.map((one) => one.file.name)).to.deep.equal(Array.from({ length: 200 }, (_, at) => `${at}`));
    expect(new Set(kinds(uploads))).to.deep.equal(new Set(['done']));
    expect(uploads.isOpen).to.equal(false);
  });

  it('never sends a file without content or one that is too large, also when tried again', () => {
    const { calls, send } = controlled();
    const uploads = new Uploads<Named, string>(send, 10);
    uploads.add([file('nothing', 0), file('huge', 5_000_000_000), file('fits', 10)]);
    uploads.retry();
    expect(calls.map((one) => one.file.name)).to.deep.equal(['fits']);
    expect(
      uploads.entries.value.map(({ state: { value } }) => value.kind === 'failed' && value.refusal),
    ).to.deep.equal(['empty', 'too large', false]);
  });

  it('tries one again that failed, from where it was', async () => {
    const { calls, send } = controlled();
    const uploads = new Uploads<Named, string>(send, 10);
    uploads.add([file('one'), file('two')]);
    calls[0]?.progress(0.5);
    expect(uploads.entries.value[0]?.state.value).to.deep.equal({ kind: 'sending', part: 0.5 });
    calls[0]?.fail(new Error('cut'));
    calls[1]?.end();
    await settled();
    expect(kinds(uploads)).to.deep.equal(['failed', 'done']);
    uploads.retry();
    expect(calls).to.have.length(3);
    expect(calls[2]?.stored).to.equal('stored');
    calls[2]?.end();
    await settled();
    expect(kinds(uploads)).to.deep.equal(['done', 'done']);
    uploads.clear();
    expect(kinds(uploads)).to.deep.equal([]);
  });

  it('cancels one or all, and goes on with the next; a canceled one can be sent again', async () => {
    const { calls, send } = controlled();
    const uploads = new Uploads<Named, string>(send, 10);
    uploads.add(['a', 'b', 'c', 'd', 'e'].map((name) => file(name)));
    uploads.cancel(1);
    expect(calls[0]?.signal.aborted).to.equal(true);
    await settled();
    expect(kinds(uploads)).to.deep.equal(['canceled', 'sending', 'sending', 'sending', 'waiting']);
    uploads.cancel();
    await settled();
    expect(new Set(kinds(uploads))).to.deep.equal(new Set(['canceled']));
    expect(calls).to.have.length(4);
    uploads.retry(1);
    // What the first attempt still reports does not count.
    calls[0]?.progress(0.9);
    expect(uploads.entries.value[0]?.state.value).to.deep.equal({ kind: 'sending', part: 0 });
    calls[4]?.end();
    await settled();
    expect(kinds(uploads)[0]).to.equal('done');
  });
});

describe('a text of an asset', () => {
  /** The server, whose answers the test gives. */
  function editedText(shown: string | null) {
    const writes: { readonly change: readonly unknown[]; end(): void; fail(error: Error): void }[] = [];
    const ends: unknown[] = [];
    const typed = new EditedText(shown, shown ?? '', {
      write: (change) => new Promise((end, fail) => writes.push({ change, end, fail })),
      onChange: () => {},
      onEnd: (error) => ends.push(error),
    });
    return { typed, writes, ends };
  }

  it('stays as it was typed where it cannot be saved, and is saved later', async () => {
    const { typed, writes, ends } = editedText('old');
    typed.type(' new ');
    const failure = new Error('gone');
    void typed.save();
    writes[0]?.fail(failure);
    await settled();
    expect([typed.isUnsaved, typed.error.value, ends]).to.deep.equal([true, failure, [failure]]);
    typed.follow('of another person');
    expect([typed.text.value, typed.shown]).to.deep.equal([' new ', 'old']);
    void typed.save();
    expect(typed.error.value).to.equal(undefined);
    writes[1]?.end();
    await settled();
    expect(writes.map(({ change }) => change)).to.deep.equal([
      ['old', 'new'],
      ['old', 'new'],
    ]);
    expect([typed.isUnsaved, typed.shown]).to.deep.equal([false, 'new']);
    typed.follow(null);
    expect(typed.text.value).to.equal('');
  });

  it('is saved again where more was typed while it was on its way', async () => {
    const { typed, writes } = editedText(null);
    typed.type('a');
    void typed.save();
    typed.type('ab');
    void typed.save();
    expect(writes).to.have.length(1);
    writes[0]?.end();
    await settled();
    writes[1]?.end();
    await settled();
    expect(writes.map(({ change }) => change)).to.deep.equal([
      [null, 'a'],
      ['a', 'ab'],
    ]);
    expect(typed.isUnsaved).to.equal(false);
  });

  it('replaces the text of another person at the second attempt only', async () => {
    const { typed, writes } = editedText('old');
    typed.type('mine');
    void typed.save();
    writes[0]?.fail(new TextChanged('theirs'));
    await settled();
    expect([typed.text.value, typed.shown]).to.deep.equal(['mine', 'theirs']);
    void typed.save();
    expect(writes[1]?.change).to.deep.equal(['theirs', 'mine']);
    typed.reset();
    expect(typed.text.value).to.equal('theirs');
  });
});

describe('URLs of images', () => {
  const cases: readonly [Partial<ImageSettings>, string][] = [
    [{}, ''],
    [{ width: '300' }, 'w=300'],
    [{ width: '0', height: '9000' }, ''],
    [{ width: 'x' }, ''],
    [{ width: '300', height: '200', fit: 'crop' }, 'w=300&h=200&fit=crop'],
    // It would have no effect.
    [{ fit: 'scale' }, ''],
    [{ part: 'rect', x: '10', rectWidth: '100', rectHeight: '50' }, 'rect=10,0,100,50'],
    [{ part: 'rect', x: '10', rectWidth: '100' }, ''],
    [
      { part: 'focal', width: '100', height: '100', focalX: '25', focalY: '110', zoom: '2.5' },
      'w=100&h=100&fit=crop&crop=focalpoint&fp-x=0.25&fp-y=0.5&fp-z=2.5',
    ],
    [{ part: 'focal', width: '100' }, 'w=100'],
    [{ format: 'webp', quality: '60' }, 'fm=webp&q=60'],
    [{ format: 'webp', quality: '60', isLossless: true }, 'fm=webp&lossless=1'],
    [{ format: 'png', quality: '60', isLossless: true }, 'fm=png'],
    [{ format: 'auto', quality: '101' }, 'auto=format'],
    [{ background: 'fff' }, 'bg=fff'],
    [{ background: '"><' }, ''],
  ];
  for (const [settings, query] of cases)
    it(`have '${query}' for ${JSON.stringify(settings)}`, () => {
      expect(imageQuery({ ...INITIAL, ...settings })).to.equal(query);
    });

  it('need both sides for a focal point', () => {
    const focal = { ...INITIAL, part: 'focal' as const, width: '10' };
    expect([lacksSize(focal), lacksSize({ ...focal, height: '10' }), lacksSize(INITIAL)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('make HTML with several widths in the same shape, none wider than the original, and escaped', () => {
    const settings = { ...INITIAL, width: '800', height: '400', fit: 'crop' as const };
    const image = { url: 'https://a/p/f/n.png', width: 800, height: 400, description: 'A "b" <c>' };
    expect(imageSnippet(image, settings, readWidths('400; 800 and 2000'), 1000)).to.equal(
      `<img src="https://a/p/f/n.png?w=800&amp;h=400&amp;fit=crop"
  srcset="https://a/p/f/n.png?w=400&amp;h=200&amp;fit=crop 400w,
    https://a/p/f/n.png?w=800&amp;h=400&amp;fit=crop 800w"
  sizes="(max-width: 800px) 100vw, 800px"
  width="800" height="400" alt="A &quot;b&quot; &lt;c>">`,
    );
  });
});

describe('tiles of assets', () => {
  it('are drawn around the window only, whatever their number', () => {
    const size = { width: 900, height: 600 };
    expect(tilesAround(0, size, 100_000)).to.deep.equal({ first: 0, end: 35, columns: 5, rows: 20_000 });
    const middle = tilesAround(2_080_000, size, 100_000);
    expect(middle.first).to.equal((10_000 - 2) * 5);
    expect(middle.end - middle.first).to.be.lessThan(50);
    expect(tilesAround(1e9, size, 12)).to.deep.equal({ first: 10, end: 12, columns: 5, rows: 3 });
    // In a window of 360 px.
    expect(tilesAround(0, { width: 334, height: 500 }, 12).columns).to.equal(2);
    expect(tilesAround(0, { width: 10, height: 10 }, 0)).to.deep.include({ first: 0, end: 0, columns: 1 });
  });

  it('are left and entered by the arrow keys, in two directions', () => {
    const grid = { columns: 5, total: 12, height: 450 };
    const from = (key: string, at: number) => moveInTiles(key, at, grid);
    expect(from('ArrowRight', 4)).to.equal(5);
    expect(from('ArrowDown', 4)).to.equal(9);
    expect(from('ArrowDown', 9)).to.equal(9);
    expect(from('ArrowUp', 2)).to.equal(2);
    expect(from('PageDown', 1)).to.equal(11);
    expect(from('Home', 7)).to.equal(0);
    expect(from('End', 7)).to.equal(11);
    expect(from('x', 7)).to.equal(undefined);
  });
});

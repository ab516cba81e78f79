/** Arithmetic of the console's lists, and of times in zones. */
import { expect } from 'chai';
import { byName, namedLike } from '../../plugins/console/app/list/by-name.ts';
import { Pages } from '../../plugins/console/app/list/pages.ts';
import { Selection } from '../../plugins/console/app/list/selection.ts';
import { ROW_HEIGHT, rowsAround, scrollTo } from '../../plugins/console/app/list/window.ts';
import { clockAt, instantsOf, zones } from '../../plugins/console/app/zone.ts';
import { until } from '../support/until.ts';

describe('a window of a long list', () => {
  it('has the rows that are seen and some beside them, never more than 120', () => {
    for (const height of [0, 300, 800, 20_000])
      for (const top of [0, 39, 40, 4000, 3_999_960, 9_999_999]) {
        const { first, end } = rowsAround(top, height, 100_000);
        expect(end - first).to.be.within(1, 120);
        if (top < 100_000 * ROW_HEIGHT) expect(Math.floor(top / ROW_HEIGHT)).to.be.within(first, end - 1);
      }
    expect(rowsAround(0, 800, 0)).to.deep.equal({ first: 0, end: 0 });
    expect(rowsAround(500, 800, 3)).to.deep.equal({ first: 2, end: 3 });
  });

  it('is scrolled just as far as a row needs', () => {
    expect(scrollTo(5, 0, 400)).to.equal(undefined);
    expect(scrollTo(10, 0, 400)).to.equal(40);
    expect(scrollTo(3, 200, 400)).to.equal(120);
  });
});

describe('pages of a listing', () => {
  const listing = () => {
    const asked: number[] = [];
    const canceled: number[] = [];
    const waiting = new Map<number, () => void>();
    const pages = new Pages<number>((offset, signal) => {
      asked.push(offset);
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          canceled.push(offset);
          reject(signal.reason);
        });
        const rows = Array.from({ length: 50 }, (_, at) => offset + at);
        waiting.set(offset, () => resolve({ rows, total: 100_000 }));
      });
    });
    const answer = async (offset: number) => {
      waiting.get(offset)?.();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { pages, asked, canceled, answer };
  };

  it('are fetched for the rows that are shown, once', async () => {
    const { pages, asked, answer } = listing();
    pages.show({ first: 180, end: 220 });
    expect(asked).to.deep.equal([150, 200]);
    await answer(150);
    expect([pages.row(180), pages.row(200), pages.total.value]).to.deep.equal([180, undefined, 100_000]);
    await answer(200);
    expect(pages.row(219)).to.equal(219);
    pages.close();
  });

  it('are canceled when their rows have passed, and nothing is fetched while rows pass', async () => {
    const { pages, asked, canceled } = listing();
    pages.show({ first: 0, end: 40 });
    for (let first = 100; first <= 5000; first += 100) pages.show({ first, end: first + 40 });
    expect(canceled).to.include(0);
    await until(() => asked.at(-1) === 5000);
    // Fifty pages have passed; a machine that pauses may fetch some of them.
    expect(asked.length).to.be.lessThan(25);
    pages.close();
    expect(canceled).to.deep.equal(asked);
  });

  it('are fetched again where the server had no answer for a time, until no one waits for them', async () => {
    const failures: object[] = [{ status: 429 }, { status: 404 }, { status: 503, retryAfter: 3600 }];
    let tries = 0;
    const pages = new Pages<number>(async () => {
      tries += 1;
      throw failures.shift() ?? new Error('Not expected.');
    });
    pages.show({ first: 0, end: 1 });
    await until(() => tries === 2);
    expect(pages.error.value).to.deep.equal({ status: 404 });
    pages.show({ first: 0, end: 1 });
    await until(() => tries === 3);
    pages.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(tries).to.equal(3);
  });

  it('give a range whose pages are not there yet', async () => {
    const { pages, answer } = listing();
    const range = pages.range({ first: 95, end: 105 });
    await answer(50);
    await answer(100);
    expect(await range).to.deep.equal([95, 96, 97, 98, 99, 100, 101, 102, 103, 104]);
  });

  it('give no part of a range that cannot be read, and the reason', async () => {
    const gone = new Error('The connection was lost.');
    const pages = new Pages<number>(async (offset) => {
      if (offset > 0) throw gone;
      return { rows: Array.from({ length: 50 }, (_, at) => at), total: 100 };
    });
    expect(await pages.range({ first: 40, end: 60 })).to.deep.equal([]);
    expect(pages.error.value).to.equal(gone);
  });
});

describe('the selection of a list', () => {
  it('has the rows as they are now, without others', () => {
    const selection = new Selection<{ readonly id: string; readonly state: string }>();
    selection.add([
      { id: 'a', state: 'draft' },
      { id: 'b', state: 'draft' },
    ]);
    selection.renew([
      { id: 'b', state: 'published' },
      { id: 'c', state: 'draft' },
    ]);
    expect([...selection.state.value.rows.values()]).to.deep.equal([
      { id: 'a', state: 'draft' },
      { id: 'b', state: 'published' },
    ]);
  });
});

describe('a time of a clock in a zone', () => {
  const instants = (clock: string, zone: string) =>
    instantsOf(clock, zone).map((instant) => instant.toISOString());

  it('is one instant on most days, in any zone', () => {
    expect(instants('2030-07-01T12:00', 'Europe/Berlin')).to.deep.equal(['2030-07-01T10:00:00.000Z']);
    expect(instants('2030-01-01T12:00', 'UTC')).to.deep.equal(['2030-01-01T12:00:00.000Z']);
    expect(instants('2030-01-01T12:00', 'Asia/Kathmandu')).to.deep.equal(['2030-01-01T06:15:00.000Z']);
    expect(instants('2030-01-01T12:00', 'Pacific/Kiritimati')).to.deep.equal(['2029-12-31T22:00:00.000Z']);
    expect(clockAt(new Date('2029-12-31T22:00:00Z'), 'Pacific/Kiritimati')).to.equal('2030-01-01T12:00');
  });

  it('is none where clocks are put forward over it, and two where they are put back', () => {
    expect(instants('2030-03-31T02:30', 'Europe/Berlin')).to.deep.equal([]);
    expect(instants('2030-10-27T02:30', 'Europe/Berlin')).to.deep.equal([
      '2030-10-27T00:30:00.000Z',
      '2030-10-27T01:30:00.000Z',
    ]);
    // By half an hour.
    expect(instants('2030-10-06T02:15', 'Australia/Lord_Howe')).to.deep.equal([]);
    expect(instants('2030-04-07T01:45', 'Australia/Lord_Howe')).to.have.length(2);
    // A day that a zone left out.
    expect(instants('2011-12-30T12:00', 'Pacific/Apia')).to.deep.equal([]);
  });

  it('is an instant while the year is typed, and at the end of the last year', () => {
    expect(instants('0002-05-01T10:00', 'UTC')).to.deep.equal(['0002-05-01T10:00:00.000Z']);
    expect(instants('0203-05-01T10:00', 'Europe/Berlin')).to.have.length.below(2);
    expect(instants('9999-12-31T20:00', 'America/New_York')).to.have.length.below(2);
    expect(instants('9999-12-31T23:59', 'UTC')).to.deep.equal(['9999-12-31T23:59:00.000Z']);
  });

  it('is in a zone that is offered once, also where the browser is in UTC', () => {
    expect(new Set(zones())).to.have.property('size', zones().length);
  });

  it('is nothing where it is no time', () => {
    expect(instants('', 'UTC')).to.deep.equal([]);
    expect(instants('soon', 'UTC')).to.deep.equal([]);
  });
});

describe('what has a name', () => {
  const all = ['Zoo', 'type 10', 'Äpfel', 'Type 9', 'apple'].map((name) => ({ name, codename: `c_${name}` }));
  const names = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);

  it('is in the order in which people look for it', () => {
    expect(names(byName(all, 'de'))).to.deep.equal(['Äpfel', 'apple', 'Type 9', 'type 10', 'Zoo']);
  });

  it('is found by a part of its name or codename', () => {
    expect(names(namedLike(all, ' TYPE'))).to.deep.equal(['type 10', 'Type 9']);
    expect(names(namedLike(all, 'c_z'))).to.deep.equal(['Zoo']);
    expect(namedLike(all, '')).to.have.length(5);
  });
});

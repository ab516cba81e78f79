/** What an event stream of the console holds for a reader that is slow, and what it sends while rights are looked up. */
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Change, CoreRequest } from '../../core/contract.ts';
import { eventRights } from '../../plugins/console/event-rights.ts';
import { EventStream, eventText } from '../../plugins/console/event-stream.ts';
import { ConsoleEvents } from '../../plugins/console/events.ts';
import { testServices } from '../support/gateway/plugin-services.ts';
import { until } from '../support/until.ts';

const PROJECT = '11111111-1111-4111-8111-111111111111';
const operator = { person: { id: 'ada', is_operator: true }, projects: [], ends_in: 1 };

describe('an event stream of the console', () => {
  const opened = () =>
    new EventStream('hash', { account: 'ada', endsAt: 0, rights: eventRights(operator) }, () => 'epoch.7');
  /** Everything: how much one call returns depends on the version of Node. */
  const read = (stream: EventStream) => {
    let text = '';
    for (let part = stream.read(); part !== null; part = stream.read()) text += String(part);
    return text;
  };

  it('holds a bounded queue for a slow reader, which then reads everything again', () => {
    const stream = opened();
    const text = eventText('change', { text: 'x'.repeat(1000) }, 'epoch.1');
    for (let at = 0; at < 1000; at += 1) stream.send(text);
    expect(stream.readableLength).to.be.within(60_000, 65_536);
    expect(read(stream)).to.not.include('resync');
    expect(read(stream)).to.equal('id: epoch.7\nevent: resync\ndata: {}\n\n');
    stream.send(text);
    expect(read(stream)).to.equal(text);
  });

  it('sends nothing while rights are looked up, and then that something was missed', () => {
    const stream = opened();
    stream.rights = undefined;
    stream.send(eventText('change', {}));
    expect(read(stream)).to.equal('');
    stream.rights = eventRights(operator);
    expect(read(stream)).to.include('event: resync');
  });

  it('ends with a last event', () => {
    const stream = opened();
    stream.finish('stopping');
    stream.finish('again');
    stream.send(eventText('change', {}));
    expect(read(stream)).to.equal('event: bye\ndata: {"reason":"stopping"}\n\n');
  });
});

describe('the event streams of a gateway', () => {
  /** @param changes answers for a query of the change log */
  function opened(
    changes: (query: string) => object,
    session: () => object = () => operator,
    activity: () => object = () => ({ presence: [], jobs: [], until: '' }),
  ) {
    let report = (_: object) => {};
    const answers: Record<string, (query: string) => object> = {
      '/api/session': session,
      '/api/activity': activity,
      '/api/changes': changes,
    };
    const { servicesFor, lines } = testServices();
    const events = new ConsoleEvents({
      ...servicesFor('console'),
      core: {
        handle: async ({ path, query }: CoreRequest) => ({
          status: 200,
          headers: {},
          body: [Buffer.from(JSON.stringify(answers[path]!(query)))],
        }),
      } as never,
      feed: {
        subscribe(onChange) {
          report = (position) => onChange({ ...position, project: PROJECT } as Change);
          return () => {};
        },
      } as ConstructorParameters<typeof ConsoleEvents>[0]['feed'],
    });
    return { events, lines, report, open: () => events.open({ kind: 'session', hash: 'hash' }, '') };
  }

  it('send what is committed while the first of them is being opened', async () => {
    const committed = { epoch: 'epoch', sequence: 2 };
    const { events, report, open } = opened((query) => {
      if (query !== '') {
        const change = { ...committed, project: PROJECT, kind: 'webhook', operation: 'change', id: 'a' };
        return { position: committed, isReset: false, changes: [{ ...change, actor: null, tags: [] }] };
      }
      report(committed);
      return { position: { epoch: 'epoch', sequence: 1 }, isReset: false, changes: [] };
    });
    const stream = await open();
    let sent = '';
    await until(() => {
      sent += String(stream.read() ?? '');
      return sent.includes('event: change');
    });
    events.close('stopping');
  });

  it('have rights that are not older than where they begin', async () => {
    let person = operator.person;
    const { events, open } = opened(
      () => {
        person = { ...person, is_operator: false };
        return { position: { epoch: 'epoch', sequence: 1 }, isReset: false, changes: [] };
      },
      () => ({ ...operator, person }),
    );
    const { rights } = await open();
    expect(rights!.key).to.equal(eventRights({ ...operator, person }).key);
    events.close('stopping');
  });

  it('say once that core is away, and again once it has answered meanwhile', async () => {
    let looks = 0;
    const { events, lines, open } = opened(
      () => ({ position: { epoch: 'epoch', sequence: 1 }, isReset: false, changes: [] }),
      undefined,
      () => {
        looks += 1;
        if (looks !== 4) throw new Error('away');
        return { presence: [], jobs: [], until: '' };
      },
    );
    await open();
    for (const [expected, logged] of [
      [3, 1],
      [6, 2],
    ] as const) {
      await until(() => {
        events.presenceChanged();
        return looks >= expected;
      });
      await setImmediate();
      expect(lines).to.have.length(logged);
    }
    events.close('stopping');
  });

  it('do not wait for a commit of data that were replaced', async () => {
    let calls = 0;
    const { events, report, open } = opened(() => {
      calls += 1;
      if (calls > 1) throw new Error('The log has it already.');
      return { position: { epoch: 'restored', sequence: 1 }, isReset: false, changes: [] };
    });
    report({ epoch: 'epoch', sequence: 2 });
    await open();
    await setImmediate();
    expect(calls).to.equal(1);
    events.close('stopping');
  });
});

describe('the rights to events', () => {
  const permissions = (...given: string[]) =>
    eventRights({
      ...operator,
      person: { id: 'a', is_operator: false },
      projects: [{ id: PROJECT, permissions: given, limits: {} }],
    });
  const kinds = ['content_item', 'content_type', 'webhook', 'key'];

  it('are those of the roles in each project', () => {
    const seen = (rights: ReturnType<typeof eventRights>, project: string | null) =>
      kinds.filter((kind) => rights.seesChange({ project, kind }));
    expect(seen(permissions('view-content'), PROJECT)).to.deep.equal(['content_item', 'content_type']);
    expect(seen(permissions('manage-apis'), PROJECT)).to.deep.equal(['webhook', 'key']);
    expect(seen(permissions('view-content', 'manage-apis'), PROJECT)).to.deep.equal(kinds);
    expect(seen(permissions('view-content'), 'another')).to.deep.equal([]);
    expect(seen(permissions('view-content'), null)).to.deep.equal([]);
    expect(seen(eventRights(operator), null)).to.deep.equal(kinds);
  });

  it('are limited to types and languages where the roles are', () => {
    const limited = (...scopes: { types: string[] | null; languages: string[] | null }[]) =>
      eventRights({
        person: { id: 'a', is_operator: false },
        projects: [{ id: PROJECT, permissions: ['view-content'], limits: { 'view-content': scopes } }],
        ends_in: 1,
      });
    const rights = limited({ types: ['note'], languages: null }, { types: null, languages: ['de'] });
    const sees = (type: string | null, language: string | null, kind = 'content_item_variant') => [
      rights.seesChange({ project: PROJECT, kind, content: { type, language } }),
      rights.seesVariant({ project: PROJECT, content: { type, language } }),
    ];
    expect(sees('note', 'en')).to.deep.equal([true, true]);
    expect(sees('page', 'de')).to.deep.equal([true, true]);
    expect(sees('page', 'en')).to.deep.equal([false, false]);
    expect(sees('page', null, 'content_item')[0]).to.equal(true);
    expect(sees(null, 'de')).to.deep.equal([false, false]);
    expect(rights.seesChange({ project: PROJECT, kind: 'content_item' })).to.equal(false);
    expect(rights.seesChange({ project: PROJECT, kind: 'content_type' })).to.equal(true);
    expect(rights.seesAll(PROJECT)).to.equal(false);
    expect(permissions('view-content').seesAll(PROJECT)).to.equal(true);
    expect(limited({ types: [], languages: null }).key).not.to.equal(rights.key);
  });
});

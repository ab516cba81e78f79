/** The page of the console over HTTP: what it has with it, for whom, and what keeps it. */

import { expect } from 'chai';
import type { ConsoleBrowser } from '../support/console/console-browser.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

describe('the page of the console', () => {
  let service: RunningService;
  let project: string;
  let reader: ConsoleBrowser;
  before(async () => {
    service = await startService({
      sample: true,
      environment: { HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '500' },
    });
    project = service.sample!.projectId;
    const [role] = await service.core.operations.storage.sql.all<{ id: string }>(
      "SELECT id FROM role WHERE codename = 'reader'",
    );
    const projects = [{ id: project, roles: [role!.id] }];
    reader = (await signInPerson(service, { name: 'Reader', projects })).browser;
  });
  after(() => service.stop());

  const SHOWN = { 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  const open = async (
    path: string,
    cookie: string | undefined,
    headers: Readonly<Record<string, string>> = SHOWN,
    url = service.url,
  ) => {
    const cookies = cookie !== undefined && { cookie: `${SESSION_COOKIE}=${cookie}` };
    const response = await fetch(`${url}/console${path}`, { headers: { ...cookies, ...headers } });
    const page = await response.text();
    const [, data] = /<script type="application\/json" id="answers">(.*?)<\/script>/s.exec(page) ?? [];
    return {
      status: response.status,
      headers: response.headers,
      page,
      answers: data === undefined ? undefined : (JSON.parse(data) as Record<string, unknown>),
    };
  };
  const list = () => `/projects/${project}/content`;

  /** The list as the reader opens it; on a busy machine the page does not wait for its answers each time. */
  const opened = async () => {
    let found = await open(list(), reader.cookie);
    await until(async () => {
      if (found.answers === undefined) found = await open(list(), reader.cookie);
      return found.answers !== undefined;
    });
    return found;
  };

  it('has the answers to the first calls of the content list, as the calls are answered', async () => {
    const { answers, headers } = await opened();
    expect(Object.keys(answers!)).to.deep.equal([
      'session',
      `admin/projects/${project}/content?offset=0&limit=50`,
      `manage/projects/${project}/types`,
      `manage/projects/${project}/languages`,
    ]);
    for (const [path, answer] of Object.entries(answers!)) {
      const { body } = await reader.request('GET', path);
      // The rest of its time.
      const timeless = (value: unknown) => ({ ...(value as object), ends_in: 0 });
      expect(timeless(answer), path).to.deep.equal(timeless(body));
    }
    expect(headers.get('cache-control')).to.equal('no-store');
  });

  it('has them for no one else, and on no other page', async () => {
    const { browser: stranger } = await signInPerson(service, { name: 'Stranger' });
    const embedded = { 'sec-fetch-dest': 'script', 'sec-fetch-site': 'same-site' };
    for (const [path, cookie, headers] of [
      [list(), undefined, SHOWN],
      [list(), 'a'.repeat(43), SHOWN],
      [list(), stranger.cookie, SHOWN],
      [list(), reader.cookie, embedded],
      [list(), reader.cookie, {}],
      [`${list()}?type=article`, reader.cookie, SHOWN],
      [`/projects/${project}/home`, reader.cookie, SHOWN],
      ['/projects/none/content', reader.cookie, SHOWN],
    ] as const) {
      const { status, answers, page, headers: given } = await open(path, cookie, headers);
      expect([status, answers], path).to.deep.equal([200, undefined]);
      expect(page).not.to.include('data-has-answers');
      expect(given.get('cache-control')).to.equal('no-store');
    }
  });

  it('contains no text of an item as HTML', async () => {
    const name = '</script><script>alert(1)</script><!-- \u2028';
    const { browser: operator } = await signInPerson(service, { name: 'Ada', isOperator: true });
    const { status } = await operator.request('POST', `manage/projects/${project}/items`, {
      name: name.slice(0, 50),
      type: { codename: 'article' },
    });
    expect(status).to.equal(201);
    const { answers, page } = await opened();
    expect(JSON.stringify(answers)).to.include('<script>alert(1)');
    expect(page).not.to.include('<script>alert');
  });

  it('comes without them to a session that makes too many calls', async () => {
    const strict = await startService({
      sample: true,
      environment: { HEADWATER_PLUGINS__SESSION__LIMITS__SECOND: '3' },
    });
    try {
      const { browser: person } = await signInPerson(strict, { name: 'Ada', isOperator: true });
      const path = `/projects/${strict.sample!.projectId}/content`;
      const answered: number[] = [];
      await until(async () => {
        const pages = await Promise.all(
          Array.from({ length: 12 }, () => open(path, person.cookie, SHOWN, strict.url)),
        );
        expect(pages.map(({ status }) => status)).to.deep.equal(pages.map(() => 200));
        answered.push(pages.filter(({ answers }) => answers !== undefined).length);
        return answered.at(-1)! > 0;
      });
      expect(answered.at(-1)).to.be.below(12);
    } finally {
      await strict.stop();
    }
  });

  it('keeps the pages that opened it at a distance, where there may be one', async () => {
    const policy = async (site: string) =>
      (await open('/', undefined, { 'sec-fetch-site': site })).headers.get('cross-origin-opener-policy');
    for (const site of ['cross-site', 'same-site', 'same-origin'])
      expect(await policy(site), site).to.equal('same-origin');
    expect(await policy('none')).to.equal(null);
    expect((await open('/', undefined, {})).headers.get('cross-origin-opener-policy')).to.equal(
      'same-origin',
    );
  });

  it('is in the language and the theme that the browser keeps, and ignores others', async () => {
    const tagOf = async (cookie: string) =>
      /<html[^>]*>/.exec((await open('/', undefined, { cookie })).page)?.[0] ?? '';
    expect(await tagOf('headwater-language=de; headwater-theme=dark')).to.match(
      / data-language="de" data-theme="dark">$/,
    );
    for (const value of ['"><script>', 'DE', '', 'a'.repeat(20)])
      expect(await tagOf(`headwater-language=${value}; headwater-theme=${value}`)).not.to.match(
        /data-language|data-theme/,
      );
  });
});

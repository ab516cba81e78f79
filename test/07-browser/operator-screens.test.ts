/** What an operator sees and does in a real browser: keys, webhooks, projects, the installation, the audit log. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page, Route } from 'playwright-core';
import { createKey } from '../../core/access/keys.ts';
import { createProject } from '../../core/access/projects.ts';
import { endJob, startJob } from '../../core/jobs/jobs.ts';
import { projectRow } from '../../core/transaction/installation.ts';
import { addWebhook } from '../../core/webhooks/registrations.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

describe('an operator in the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  let receiver: Server;
  let status = 500;
  /** Names what a job makes, another one when it is run again. */
  let made = 0;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end('answer of the receiver'));
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    [service, browser] = await Promise.all([
      startService({ sample: true, environment: { HEADWATER_WEBHOOKS__ALLOW: '127.0.0.1' } }),
      browserOfProcess(),
    ]);
    ({ account: operator } = await signInPerson(service, { name: 'Ada Lovelace', isOperator: true }));
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
    receiver?.close();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    made += 1;
    const opened = await pageWithSession(browser, service, operator, { acceptDownloads: true });
    ({ page } = opened);
    return opened;
  });
  const newProject = () =>
    service.core.operations.installation(null, (to) => createProject(to, { name: `Harbour ${made}` }));
  const open = async (path: string, heading: string) => {
    await page.goto(`${service.url}/console/${path}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const dialog = (name: string | RegExp) => page.getByRole('dialog', { name });
  /** Reads the plan of an act, then does it. */
  const confirm = async (title: string | RegExp, act: string, plan: RegExp) => {
    await dialog(title).getByText(plan).waitFor();
    await isAccessibleToo();
    await dialog(title).getByRole('button', { name: act, exact: true }).click();
    await dialog(title).waitFor({ state: 'detached' });
  };
  /** What is shown once, in its order. */
  const secrets = async (title: string) => {
    await dialog(title).waitFor();
    const shown = await dialog(title).locator('code').allTextContents();
    await isAccessible();
    await dialog(title).getByRole('button', { name: 'Close' }).click();
    await dialog(title).waitFor({ state: 'detached' });
    return shown;
  };
  const statusOf = async (path: string, key?: string) =>
    (await fetch(`${service.url}/${path}`, { headers: key ? { authorization: `Bearer ${key}` } : {} }))
      .status;
  const link = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true });

  job('replaces a key; the old one is refused at once', async () => {
    const { id: project, keys } = await newProject();
    const old = keys['preview-primary'];
    const read = (key: string) => statusOf(`preview/${project}/items?limit=1`, key);
    await open(`projects/${project}/keys`, 'Keys');
    await button(/Replace the key Preview, primary/).click();
    await dialog(/Replace the key/)
      .getByRole('button', { name: 'Cancel' })
      .click();
    expect(await read(old)).to.equal(200);
    await button(/Replace the key Preview, primary/).click();
    // While the server acts, and where it fails, the question stays.
    const ACT = '**/regenerate';
    const held: Route[] = [];
    await page.route(ACT, (route) => void held.push(route));
    const question = dialog(/Replace the key/);
    await question.getByText(/last used on/).waitFor();
    await isAccessible();
    await question.getByRole('button', { name: 'Replace', exact: true }).click();
    await until(() => held.length === 1);
    await page.keyboard.press('Escape');
    expect(await question.getByRole('button', { name: 'Cancel' }).isDisabled()).to.equal(true);
    await held[0]!.fulfill({ status: 500, body: '{}' });
    await question.getByRole('alert').waitFor();
    await page.unroute(ACT);
    // The secret does not wait for the list.
    await page.route(`**/admin/projects/${project}/keys`, () => undefined);
    await confirm(/Replace the key/, 'Replace', /refused at once/);
    // By a button: keys do not select a text of a page.
    await page.evaluate('navigator.clipboard.writeText = async (text) => void (globalThis.copied = text)');
    await dialog('New key').getByRole('button', { name: 'Copy' }).click();
    await dialog('New key').getByText('Copied.').waitFor();
    const [key] = await secrets('New key');
    expect(await page.evaluate('copied')).to.equal(key);
    expect([await read(old), await read(key!)]).to.deep.equal([401, 200]);
  });

  longJob('turns secure access on with both of its keys, and off', async () => {
    const { id: project } = await newProject();
    const read = (key?: string) => statusOf(`delivery/${project}/items?limit=1`, key);
    expect(await read()).to.equal(200);
    await open(`projects/${project}/keys`, 'Keys');
    await button('Turn on secure access').press('Enter');
    await dialog('Turn on secure access').waitFor();
    await page.keyboard.press('Escape');
    const focused = await page.evaluate('document.activeElement.innerText');
    expect(focused, 'after the dialog').to.equal('Turn on secure access …');
    await button('Turn on secure access').click();
    await confirm(
      'Turn on secure access',
      'Turn on secure access',
      /answered (one call|0 calls) in the last 7 days/,
    );
    const keys = await secrets('New delivery keys');
    expect(keys).to.have.length(2);
    expect([await read(), await read(keys[0]), await read(keys[1])]).to.deep.equal([401, 200, 200]);
    await button('Turn off secure access').click();
    await confirm('Turn off secure access', 'Turn off secure access', /without a key/);
    await button('Turn on secure access').waitFor();
    expect(await read()).to.equal(200);
  });

  job('makes a management key for a user, and revokes it', async () => {
    const { id: project } = await newProject();
    const read = (key: string) => statusOf(`manage/v2/projects/${project}/items`, key);
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const name = `Grace Hopper ${made}`;
    const user = {
      name,
      email: `grace${made}@example.org`,
      projects: [{ id: project, capabilities: ['manage-apis'] }],
    };
    await fetch(`${service.url}/admin/users`, { method: 'POST', headers, body: JSON.stringify(user) });
    await open(`projects/${project}/keys`, 'Keys');
    await button('Make a management key …').click();
    await dialog('Make a management key')
      .getByRole('combobox')
      .selectOption({ label: `${name} (${user.email})` });
    await dialog('Make a management key').getByLabel('Valid for days').fill('30');
    await isAccessible();
    await dialog('Make a management key').getByRole('button', { name: 'Make the key' }).click();
    const [key] = await secrets('New key');
    expect(await read(key!)).to.equal(200);
    await page.getByRole('row', { name: new RegExp(name) }).waitFor();
    await button('Turn off the management API').click();
    await confirm('Turn off the management API', 'Turn off the management API', /refused at once/);
    await button('Turn on the management API').click();
    await button('Turn off the management API').waitFor();
    await button(/Revoke the key/).click();
    await confirm(/Revoke the key/, 'Revoke', /never used|last used/);
    await page.getByRole('row', { name: new RegExp(name) }).waitFor({ state: 'detached' });
    await isAccessible();
    expect(await read(key!)).to.equal(403);
  });

  /** Makes something by the admin API. */
  const admin = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const answer = await fetch(`${service.url}/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).to.equal(201);
  };

  job('removes a person after its plan', async () => {
    const person = `Mary Somerville ${made}`;
    await admin('admin/users', { name: person, email: `mary${made}@example.org`, projects: [] });
    await open(`projects/${(await newProject()).id}/home`, 'Home');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(person);
    await page.getByRole('option', { name: person }).click();
    await button('Remove the person').waitFor();
    await page.keyboard.press('Escape');
    await button('Remove the person').waitFor({ state: 'detached' });
    expect(page.url(), 'once it is closed').to.match(/\/people$/);
    await button(`Edit ${person}`).click();
    await button('Remove the person').click();
    await confirm(`Remove ${person}`, 'Remove the person', /signed out everywhere/);
    await button(`Edit ${person}`).waitFor({ state: 'detached' });
  });

  longJob('removes a role and a webhook after the plan of each', async () => {
    const { id: project } = await newProject();
    const role = `Proof reader ${made}`;
    await admin('admin/roles', {
      name: role,
      codename: `proof_${made}`,
      permissions: ['view-content'],
      limits: {},
    });
    await open('roles', 'Roles');
    await button(`Edit ${role}`).click();
    await button('Delete the role').click();
    await confirm(`Delete ${role}`, 'Delete the role', /cannot be undone/);
    await button(`Edit ${role}`).waitFor({ state: 'detached' });
    await open(`projects/${project}/webhooks`, 'Webhooks');
    await button('Register a webhook …').click();
    await dialog('Register a webhook').getByLabel('Name').fill('Mirror');
    await dialog('Register a webhook').getByLabel('URL').fill('https://mirror.example.org/');
    const save = dialog('Register a webhook').getByRole('button', { name: 'Save' });
    await dialog('Register a webhook').getByLabel('These changes only').check();
    await save.click();
    // A webhook without triggers would be notified of everything.
    await dialog('Register a webhook').getByText('Choose at least one change, or all of them.').waitFor();
    const moves = 'Variants moved to a step of the workflow';
    const published = () => page.getByRole('group', { name: moves }).getByLabel('Published');
    await published().check();
    await dialog('Register a webhook').getByLabel('All changes of published content').check();
    await dialog('Register a webhook').getByLabel('These changes only').check();
    await save.click();
    await secrets('Secret of Mirror');
    await button('Edit Mirror').click();
    expect(await published().isChecked()).to.equal(true);
    expect(await page.getByRole('group', { name: moves }).getByLabel('Draft').isChecked()).to.equal(false);
    // All operations and steps, also those of later versions.
    const stored = {
      delivery_api_content_changes: [{ type: 'content_type', operations: [] }],
      workflow_step_changes: [{ type: 'content_item_variant', transitions_to: [] }],
    };
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const all = `${service.url}/admin/projects/${project}/webhooks`;
    const read = async () => {
      const answer = (await (await fetch(all, { headers })).json()) as {
        webhooks: { id: string; name: string; url: string; triggers: unknown }[];
      };
      return answer.webhooks[0]!;
    };
    const { id, name, url } = await read();
    const body = JSON.stringify({ name, url, triggers: stored });
    expect((await fetch(`${all}/${id}`, { method: 'PUT', headers, body })).status).to.equal(200);
    await page.keyboard.press('Escape');
    await button('Edit Mirror').click();
    await dialog('Mirror').getByLabel('Name').fill('Copy');
    await dialog('Mirror').getByRole('button', { name: 'Save' }).click();
    await button('Edit Copy').click();
    expect((await read()).triggers).to.deep.equal(stored);
    await button('Delete the webhook').click();
    await confirm('Delete Copy', 'Delete the webhook', /pause it/);
    await page.getByText('This project has no webhooks.').waitFor();
  });

  job('tests a webhook until it accepts, pauses it, and reads its log', async () => {
    status = 500;
    const { id: project } = await newProject();
    await open(`projects/${project}/home`, 'Home');
    const { port } = receiver.address() as AddressInfo;
    const api = async (method: string, path: string, body?: unknown) => {
      const answer = await page.evaluate(
        async ([method, path, body]) => {
          const response = await fetch(`/console/api/${path}`, {
            method: method!,
            headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
            ...(body && { body }),
          });
          return { status: response.status, text: await response.text() };
        },
        [method, path, body === undefined ? '' : JSON.stringify(body)] as const,
      );
      expect(answer.status, answer.text).to.be.lessThan(300);
    };
    await api('POST', `manage/projects/${project}/webhooks`, {
      name: 'Site',
      url: `http://127.0.0.1:${port}/`,
      triggers: {
        delivery_api_content_changes: [
          { type: 'content_item_variant', operations: ['publish', 'upsert', 'unpublish'] },
        ],
      },
    });
    await link('Webhooks').click();
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('did not accept the test (500)').waitFor();
    status = 200;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('accepted the test (200)').waitFor();
    await isAccessible();
    // While a receiver is slow to answer, another act would not be done.
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wait = async (route: Route) => {
      await isReleased;
      await route.continue();
    };
    await page.route('**/test', wait, { times: 1 });
    await page.getByRole('button', { name: 'Send a test' }).click();
    await until(() => page.getByRole('button', { name: 'Pause' }).isDisabled());
    release();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('link', { name: 'Site' }).click();
    await page.getByRole('heading', { name: 'Delivery log' }).waitFor();
    await isAccessible();
  });

  job('shows times of processes in German as people write them', async () => {
    const url = `${service.url}/console/`;
    await page.context().addCookies([{ name: 'headwater-language', value: 'de', url }]);
    // Which times there are depends on the machine.
    await page.route('**/admin/gateways', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/"p50_ms":[\d.]+/g, '"p50_ms":1002.5');
      await route.fulfill({ response, body });
    });
    await open('gateways', 'Gateways und Cores');
    await page.getByRole('cell', { name: '1.002,5 ms' }).first().waitFor();
    await isAccessible();
    await page.unroute('**/admin/gateways');
  });

  longJob('reads in German what jobs do, who acted, and what webhooks are notified of', async () => {
    const url = `${service.url}/console/`;
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `Audited ${made}` });
    await fetch(`${service.url}/admin/projects`, { method: 'POST', headers, body });
    await service.core.operations.storage.write((tx) =>
      startJob(tx, {
        id: randomUUID(),
        kind: 'listing',
        project: null,
        subject: `lists ${made}`,
        total: 12_345,
      }),
    );
    const { id: project } = await newProject();
    const site = { name: 'Site', url: 'http://127.0.0.1:9/', contentChanges: [], workflowSteps: [] };
    await service.core.operations.inProject(project, null, (transaction) => addWebhook(transaction, site));
    await page.context().addCookies([{ name: 'headwater-language', value: 'de', url }]);
    await open('jobs', 'Aufträge');
    const row = page.getByRole('row').filter({ hasText: `lists ${made}` });
    await row.filter({ hasText: 'Listen aktualisieren' }).filter({ hasText: '12.345' }).waitFor();
    await open('audit', 'Prüfprotokoll');
    await page.getByRole('cell', { name: 'Admin-Token' }).first().waitFor();
    await open(`projects/${project}/webhooks`, 'Webhooks');
    await button('Test senden: Site').click();
    await page.getByText('Site hat den Test nicht angenommen. Die Verbindung wurde abgelehnt.').waitFor();
    await button('Site bearbeiten').click();
    const form = dialog('Site bearbeiten');
    await form.getByLabel('Nur diese Änderungen').check();
    await form
      .getByRole('group', { name: 'Taxonomien' })
      .getByRole('checkbox', { name: 'Anlegen oder ändern' })
      .waitFor();
    await isAccessible();
    await page.keyboard.press('Escape');
    await form.getByRole('button', { name: 'Verwerfen' }).click();
    await page.getByRole('link', { name: 'Site' }).click();
    await page.getByRole('cell', { name: 'Webhook: Test', exact: true }).waitFor();
    await isAccessible();
  });

  job('makes, archives and restores a project', async () => {
    const name = `Second site ${made}`;
    await open('projects', 'Projects');
    await page.getByLabel('Name of a new project').fill(name);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: `Archive ${name}` }).click();
    await confirm(`Archive ${name}`, 'Archive', /Nothing is deleted/);
    await page.getByRole('button', { name: `Restore ${name}` }).click();
    await page.getByRole('button', { name: `Archive ${name}` }).waitFor();
    await isAccessible();
    await page.getByLabel('Project', { exact: true }).selectOption(name);
    await page.getByText('Nothing needs attention here.').waitFor();
    await link('Content').click();
    await page.getByText('This project has no content yet.').waitFor();
  });

  job('reads usage, the installation and the audit log', async () => {
    const headers = { authorization: `Bearer ${service.adminToken}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ name: `Audited ${made}` });
    await fetch(`${service.url}/admin/projects`, { method: 'POST', headers, body });
    const { id: project } = await newProject();
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const counts = [
      { project, surface: 'delivery', day: day(1), calls: 2_000_000 },
      { project, surface: 'delivery', day: day(2), calls: 1 },
    ] as const;
    await service.core.usage.add({ source: `source ${made}`, number: 1, counts });
    await open(`projects/${project}/usage`, 'Usage of the last 30 days');
    const chart = page.getByRole('figure').filter({ hasText: /^delivery: 2,000,001 calls/ });
    await chart.waitFor();
    const bars = await chart
      .locator('rect:not(.day)')
      .evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    expect(bars.filter((height) => height > 0)).to.deep.equal([2, 160]);
    const shown = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
    expect(await chart.locator('title').allTextContents()).to.include(
      `${shown.format(new Date(day(1)))}: 2,000,000`,
    );
    await page.getByRole('rowheader', { name: shown.format(new Date(day(1))) }).waitFor();
    for (const screen of ['Usage', 'Installation', 'Audit log']) {
      if (screen !== 'Usage') {
        await link(screen).click();
        await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
      }
      await page.getByRole('table').or(page.getByText('Nothing was called.')).first().waitFor();
      await isAccessible();
    }
    await page
      .getByRole('row', { name: /POST projects / })
      .first()
      .waitFor();
    // More than a page of a hundred.
    const copied = `copied ${made}`;
    await service.core.operations.storage.write(async (tx) => {
      for (let at = 0; at < 150; at += 1)
        await tx.run(
          `INSERT INTO audit (project, act, subject, detail, actor, origin, at)
           SELECT project, act, ?, detail, actor, origin, at FROM audit LIMIT 1`,
          [copied],
        );
    });
    const [file] = await Promise.all([page.waitForEvent('download'), button(/CSV/).click()]);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    expect(lines[0]).to.equal('"at","act","subject","actor","origin","detail"');
    expect(lines.filter((line) => line.includes(`"${copied}"`))).to.have.length(150);
  });

  job('reads more of the audit log once, and goes on at the first entry of it', async () => {
    await newProject();
    const act = `listed ${made}`;
    await service.core.operations.storage.write(async (tx) => {
      for (let at = 0; at < 150; at += 1)
        await tx.run(
          `INSERT INTO audit (act, subject, detail, actor, at)
             VALUES (?, 'projects', '{}', 'admin token', '2026-01-01T00:00:00.0000000Z')`,
          [act],
        );
    });
    await open(`audit?act=${encodeURIComponent(act)}`, 'Audit log');
    const rows = page.locator('tbody tr');
    await until(async () => (await rows.count()) === 100);
    const held: Route[] = [];
    await page.route('**/api/admin/audit**', (route) => void held.push(route));
    await button('Show more').focus();
    for (let time = 0; time < 3; time += 1) await page.keyboard.press('Enter');
    await until(() => held.length > 0);
    expect(await button('Show more').isDisabled()).to.equal(true);
    expect(held).to.have.length(1);
    await held[0]!.continue();
    await until(async () => (await rows.count()) === 150);
    await until(() => rows.nth(100).evaluate((row) => row === document.activeElement));
  });

  longJob('gets lists as requests of the admin API, and executes them', async () => {
    await open(`projects/${service.sample!.projectId}/calendar`, 'Calendar');
    const lists = [
      ['Home', `projects/${service.sample!.projectId}/attention`],
      ['Export', `projects/${service.sample!.projectId}/exports`],
      ['Calendar', `projects/${service.sample!.projectId}/schedules?from=`],
      ['Keys', `projects/${service.sample!.projectId}/keys`],
      ['Usage', `projects/${service.sample!.projectId}/usage`],
      ['Projects', 'projects'],
      ['People', 'users'],
      ['Roles', 'roles'],
      ['Jobs', 'jobs'],
      ['Audit log', 'audit'],
      ['Installation', 'processes'],
      ['Gateways and cores', 'gateways'],
      ['Live requests', 'gateways/requests'],
    ] as const;
    // In the short form: one with the days of the screen, one of the installation, one of two requests.
    const some = ['Calendar', 'People', 'Gateways and cores'];
    for (const [screen, path] of lists.filter(([screen]) => isLongForm || some.includes(screen))) {
      await link(screen).click();
      await button('As an API call …').click();
      const shown = dialog('As an API call');
      expect(await shown.getByLabel('curl').inputValue()).to.include(`'${service.url}/admin/${path}`);
      if (screen === 'Gateways and cores') {
        await shown.getByLabel('API', { exact: true }).selectOption('Admin: /cores');
        expect(await shown.getByLabel('curl').inputValue()).to.include(`'${service.url}/admin/cores'`);
      }
      await shown.getByRole('button', { name: 'Execute here' }).click();
      await shown.getByText(/^Answer 200 in/).waitFor();
      await shown.getByRole('button', { name: 'Close' }).click();
    }
  });

  longJob('shows the answer to an API call only beside that call', async () => {
    await open('gateways', 'Gateways and cores');
    await button('As an API call …').click();
    const shown = dialog('As an API call');
    const held: Route[] = [];
    await page.route('**/api/admin/gateways', (route) => void held.push(route));
    await shown.getByRole('button', { name: 'Execute here' }).click();
    await until(() => held.length > 0);
    const choice = shown.getByLabel('API', { exact: true });
    await choice.selectOption('Admin: /cores');
    for (const route of held) await route.continue();
    await page.unroute('**/api/admin/gateways');
    await shown.getByRole('button', { name: 'Execute here', disabled: false }).waitFor();
    expect(await shown.getByText(/^Answer 200 in/).count()).to.equal(0);
    await choice.selectOption('Admin: /gateways');
    await shown.getByRole('button', { name: 'Execute here' }).click();
    await shown.getByText(/^Answer 200 in/).waitFor();
  });

  longJob('sees the requests of a gateway whose clock is behind', async () => {
    const request = (path: string, second: number) => ({
      ...{ number: 1, at: new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString(), id: null },
      ...{ surface: 'delivery', method: 'GET', path, status: 200, ms: 1, bytes: 1, cache: null },
      ...{ limiter: null, key: null, client: '192.0.2.7' },
    });
    let calls = 0;
    await page.route('**/api/admin/gateways/requests*', (route) => {
      calls += 1;
      const after = new URL(route.request().url()).searchParams.get('after') ?? '';
      const since = (...requests: ReturnType<typeof request>[]) => requests.filter(({ at }) => at >= after);
      const gateways = [
        { instance: 'ahead', requests: since(request('/first', 9)) },
        { instance: 'behind', requests: calls === 1 ? [] : since(request('/second', 1)) },
      ];
      return route.fulfill({ json: { gateways } });
    });
    await open('requests', 'Live requests');
    await page.getByText('GET /first').waitFor();
    await page.getByText('GET /second').waitFor({ timeout: 15_000 });
  });

  longJob('reads why a job failed, a line for each reason', async () => {
    const reason = 'The content breaks rules.\nThe title is missing.\n… and 3 more.';
    const failed = { id: randomUUID(), kind: 'import', project: null, subject: `Import ${made}` } as const;
    await service.core.operations.storage.write(async (tx) => {
      await startJob(tx, { ...failed, total: 1 });
      await endJob(tx, failed.id, 'failed', reason);
    });
    await open('jobs', 'Jobs');
    const row = page.getByRole('row').filter({ hasText: failed.subject });
    await row.waitFor();
    // As it is drawn: lines that are run together have a space between them.
    expect((await row.allInnerTexts()).join()).to.include(reason);
    await isAccessible();
  });

  longJob('reads in German why a job failed and which key expires', async () => {
    const { id: project } = await newProject();
    const failed = { id: randomUUID(), kind: 'export', subject: `Export ${made}`, total: 1 } as const;
    await service.core.operations.installation(null, async (to) => {
      const { number } = await projectRow(to.tx, project);
      await startJob(to.tx, { ...failed, project: number });
      await endJob(
        to.tx,
        failed.id,
        'failed',
        'An internal error ended the job; see the log of the service.',
      );
      await createKey(to, { number, id: project }, { kind: 'management', user: operator, expiresInDays: 3 });
    });
    await open(`projects/${project}/home`, 'Home');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('deutsch');
    await page.getByRole('option', { name: 'Show the console in Deutsch' }).click();
    const part = (name: RegExp) =>
      page
        .getByRole('main')
        .locator('section')
        .filter({ has: page.getByRole('heading', { name }) });
    const reason = /: Ein interner Fehler hat den Auftrag beendet/;
    await part(/^Fehlgeschlagene Aufträge/)
      .getByText(reason)
      .waitFor();
    await part(/^Schlüssel, die ablaufen/)
      .getByRole('link', { name: /^Verwaltung …/ })
      .waitFor();
    await isAccessible();
    await page.goto(`${service.url}/console/projects/${project}/export`);
    await page.getByRole('cell', { name: reason }).waitFor();
    await isAccessible();
    const act = { id: randomUUID(), kind: 'act-on-many', subject: 'archive: 3 objects', total: 3 } as const;
    await service.core.operations.storage.write((tx) => startJob(tx, { ...act, project: null }));
    const subjects = [
      ['recompile', 'type 12'],
      ['scheduled-publish', '25 variants'],
      ['scheduled-publish', 'about_us/en'],
      ['webhook-replay', 'item 5 since 2026'],
    ] as const;
    await service.core.operations.storage.write(async (tx) => {
      for (const [kind, subject] of subjects)
        await startJob(tx, { id: randomUUID(), kind, subject, total: 30, project: null });
    });
    await page.goto(`${service.url}/console/jobs`);
    await page.getByRole('cell', { name: 'Archivieren: 3 Objekte' }).first().waitFor();
    for (const progress of [
      'Massenvorgang: Archivieren: 3 Objekte',
      'Neu aufbereiten: Typ 12',
      'Geplante Veröffentlichung: 25 Varianten',
      'Geplante Veröffentlichung: about_us/en',
      'Noch einmal senden: item 5 since 2026',
    ])
      await page.getByRole('progressbar', { name: progress, exact: true }).first().waitFor();
    for (const subject of ['Typ 12', '25 Varianten', 'about_us/en'])
      await page.getByRole('cell', { name: subject, exact: true }).first().waitFor();
    await isAccessible();
  });

  longJob('sees what is chosen where high contrast replaces the colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await open(`projects/${service.sample!.projectId}/content`, 'Content');
    await page.getByRole('grid').getByRole('checkbox').nth(1).check();
    const outlines = await page.evaluate<string[]>(
      `['nav [aria-current]', 'tr[aria-selected="true"]', 'tr[aria-selected="false"]'].map((selector) => getComputedStyle(document.querySelector(selector)).outlineStyle)`,
    );
    expect(outlines).to.deep.equal(['solid', 'solid', 'none']);
    // Also where the frame is that of the tile that the keys are on.
    await open(`projects/${service.sample!.projectId}/assets?view=tiles`, 'Assets');
    const tile = (at: number) => page.getByRole('listbox', { name: 'Assets' }).getByRole('option').nth(at);
    await tile(1).click();
    const background = (at: number) => tile(at).evaluate((one) => getComputedStyle(one).backgroundColor);
    expect(await background(1)).to.not.equal(await background(0));
  });

  longJob('uses every screen on a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await open(`projects/${service.sample!.projectId}/home`, 'Home');
    for (const screen of ['Content', 'People', 'Roles', 'Audit log', 'Gateways and cores']) {
      await link(screen).click();
      await page.getByRole('heading', { name: screen, level: 1 }).waitFor();
      await page.locator('.loading').first().waitFor({ state: 'hidden' });
      await isAccessible();
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, screen).to.be.at.most(390);
    }
    // Of filters, two are beside each other.
    await link('Content').click();
    const [state, language] = await Promise.all(
      ['State', 'Language'].map((label) => page.getByRole('search').getByLabel(label).boundingBox()),
    );
    expect(state!.y).to.equal(language!.y);
    await link('Gateways and cores').click();
    // A column is as wide as its words, so that the table scrolls.
    const column = await page.getByRole('columnheader', { name: 'Surface' }).first().boundingBox();
    expect(column?.width).to.be.at.least(100);
    await page.getByRole('group', { name: 'Surface, Requests' }).first().waitFor();
    expect(await page.getByText('sent no report').count()).to.equal(0);
    // A core of version 0.2.0 does not know the call either.
    await page.route('**/api/admin/cores', (route) =>
      route.continue({ url: `${route.request().url()}-unknown` }),
    );
    const [answer] = await Promise.all([page.waitForResponse(/admin\/cores/), page.reload()]);
    expect(answer.status()).to.equal(404);
    await page.getByRole('columnheader', { name: 'Surface' }).first().waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  longJob('shows whole groups, long texts of boxes and the projects on a narrow window', async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    await service.core.operations.installation(null, (to) =>
      createProject(to, { name: `The harbour, its boats and everything that is moored there ${made}` }),
    );
    await open('projects', 'Projects');
    // The choice of a project is as wide as its longest name.
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width, 'width of the page').to.be.at.most(390);
    expect(await page.evaluate(`document.body.matches(':focus')`), 'nothing has the focus').to.equal(false);
    await button(/^Archive /)
      .first()
      .waitFor();
    const [table, box] = await page.evaluate<[number, number]>(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.scroll.data'))`,
    );
    expect(table, 'width of the projects').to.be.at.most(box);
    await page.setViewportSize({ width: 340, height: 800 });
    await link('Roles').click();
    await button('Add a role …').click();
    const form = dialog('Add a role');
    await form.getByLabel('Archive and export the project').waitFor();
    // Where lines of texts begin, from the end of their box, and groups from the top of their frame.
    const { lines, texts, legends } = await page.evaluate<{
      lines: number;
      texts: number[];
      legends: number[];
    }>(
      `(() => {
        const texts = [...document.querySelectorAll('dialog .check')].flatMap((label) => {
          const range = document.createRange();
          range.selectNode([...label.childNodes].findLast(({ nodeType }) => nodeType === Node.TEXT_NODE));
          const { right } = label.querySelector('input').getBoundingClientRect();
          return [...range.getClientRects()].map(({ left }) => left - right);
        });
        return {
          lines: texts.length - document.querySelectorAll('dialog .check').length,
          texts,
          legends: [...document.querySelectorAll('dialog legend')].map(
            (legend) => legend.getBoundingClientRect().top - legend.parentElement.getBoundingClientRect().top,
          ),
        };
      })()`,
    );
    expect(lines, 'texts of two lines').to.be.at.least(1);
    expect(Math.min(...texts), 'least distance of a line from its box').to.be.at.least(0);
    expect(Math.min(...legends), 'least distance of a legend from its frame').to.be.at.least(0);
    expect(legends).to.not.be.empty;
    await isAccessible();
  });
});

/** From the first start to published content, and to people with roles, in a real browser: with and without a mouse. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { createProject } from '../../core/access/projects.ts';
import { createRole } from '../../core/access/roles.ts';
import { createLink } from '../../core/access/sign-in-links.ts';
import { createItem } from '../../core/content/items.ts';
import { createType } from '../../core/content/types.ts';
import { upsertVariant } from '../../core/content/variants.ts';
import { newVersion, publishVariant } from '../../core/publishing/publish.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { addOperator, PERSON } from '../support/browser/console-person.ts';
import { Keyboard } from '../support/browser/keyboard.ts';
import { type OpenedPage, openPage } from '../support/browser/open-browser.ts';
import { sessionOf, useSession } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const { password: PASSWORD } = PERSON;

describe('the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  /** Of the roles in the sample project. */
  let inSample: string;
  /** A page of someone else. */
  let other: OpenedPage | undefined;
  /** Names what a job makes, another one when it is run again. */
  let made = 0;
  before(async () => {
    [service, browser] = await Promise.all([startService({ sample: true }), browserOfProcess()]);
    const { name } = await service.core.operations.read(
      service.sample!.projectId,
      async ({ project }) => project,
    );
    inSample = `Roles in ${name}`;
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob, isAccessible, isAccessibleToo } = separateJobs(async () => {
    made += 1;
    const opened = await openPage(browser);
    ({ page } = opened);
    return opened;
  });
  afterEach(async () => {
    await other?.page.context().close();
    other = undefined;
  });
  const openOther = async (link: string) => {
    other = await openPage(browser);
    await other.page.goto(link);
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    return other.page;
  };
  /** Opens a screen as an operator. */
  const open = async (path: string, heading: string) => {
    await useSession(page, service, await sessionOf(service, operator));
    await page.goto(`${service.url}/console/${path}`);
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  };
  const content = () => `projects/${service.sample!.projectId}/content`;
  const write = (text: string, parameters: readonly string[]) =>
    service.core.operations.storage.write((tx) => tx.run(text, [...parameters]));

  describe('for the first person', () => {
    beforeEach(async () => {
      for (const table of ['session', 'sign_in_link', 'person']) await write(`DELETE FROM ${table}`, []);
    });

    longJob('makes the first user from a sign-in link', async () => {
      const token = await service.core.operations.installation(null, (to) => createLink(to, null));
      await page.goto(`${service.url}/console/sign-in#token=${token}`);
      await page.getByLabel('Name').fill('Mary Somerville');
      await page.getByLabel('Mail address').fill(`mary.${made}@example.org`);
      await page.getByLabel('New password').fill(PASSWORD);
      expect(page.url()).not.to.include(token);
      await isAccessible();
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.getByText('You have changed nothing here yet.').waitFor();
      await isAccessible();
      await page.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
      await page.getByRole('heading', { name: 'Content' }).waitFor();
      await page.getByRole('grid').getByRole('rowheader').first().waitFor();
    });

    job('publishes a first item from a sign-in link, with the keyboard only', async () => {
      const keys = new Keyboard(page);
      const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
      const dialog = page.getByRole('dialog');
      const token = await service.core.operations.installation(null, (to) => createLink(to, null));
      await page.goto(`${service.url}/console/sign-in#token=${token}`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await keys.type('Name', 'Mary Somerville');
      await keys.type('Mail address', `mary.${made}@example.org`);
      await keys.type('New password', PASSWORD);
      expect(page.url()).not.to.include(token);
      await isAccessible();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Home' }).waitFor();
      await page.getByText('You have changed nothing here yet.').waitFor();
      await isAccessible();

      const name = `Observatory ${made}`;
      await keys.press('Projects');
      await heading('Projects');
      await keys.type('Name of a new project', name);
      await page.keyboard.press('Enter');
      await keys.press(page.getByRole('link', { name, exact: true }));
      await heading('Home');
      const project = page.url().split('/').at(-2);

      await keys.press('Content');
      await page.getByText('This project has no content yet.').waitFor();
      await keys.press('New item …');
      await keys.press(dialog.getByRole('link', { name: 'Content types' }));
      await heading('Content types');
      await keys.press('Add a content type');
      await heading('New content type');
      await keys.type(page.getByLabel('Name', { exact: true }).first(), 'Essay', true);
      const element = page.locator('.element-form').last().getByLabel('Name', { exact: true });
      await keys.to(page.getByLabel('Kind'));
      await keys.press('Add an element');
      await keys.type(element, 'Title', true);
      await keys.to(page.getByLabel('Kind'));
      await page.keyboard.type('Rich');
      await keys.press('Add an element');
      await page.locator('.element-form').nth(1).waitFor();
      await keys.type(element, 'Body', true);
      await page.keyboard.press('Control+s');
      await heading('Essay');

      await keys.press('Content');
      await keys.press('New item …');
      await keys.type(dialog.getByLabel('Name', { exact: true }), 'On the tides');
      await page.keyboard.press('Enter');
      await heading('On the tides');
      await keys.type('Title', 'On the tides');
      await keys.to(page.getByRole('textbox', { name: 'Body' }));
      await page.keyboard.type('# Twice a day');
      await page.keyboard.press('Enter');
      await page.keyboard.type('The water ');
      await page.keyboard.press('Control+b');
      await page.keyboard.type('rises');
      await page.keyboard.press('Control+b');
      await page.keyboard.type('.');
      await keys.to('Publish …', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await dialog.getByText('1 variant becomes public.').waitFor();
      await keys.press('Publish now');
      await dialog.getByText('1 variant was published.').waitFor();
      await keys.press('Close');
      await dialog.waitFor({ state: 'detached' });

      const answer = await fetch(`${service.url}/delivery/${project}/items/on_the_tides`);
      expect(answer.status).to.equal(200);
      const { item } = (await answer.json()) as { item: { elements: Record<string, { value: string }> } };
      expect(item.elements['title']?.value).to.equal('On the tides');
      expect(item.elements['body']?.value).to.equal(
        '<h1>Twice a day</h1><p>The water <strong>rises</strong>.</p>',
      );
    });
  });

  describe('for an operator', () => {
    before(async () => {
      operator = await addOperator(service);
    });

    longJob('is accessible in both themes and both languages', async () => {
      await open(content(), 'Content');
      await page.getByRole('grid').getByRole('rowheader').first().waitFor();
      await isAccessible();
      await page.getByText(PERSON.name).click();
      await page.getByLabel('Theme').selectOption('dark');
      await page.getByRole('banner').getByLabel('Language').selectOption('de');
      await page.getByRole('heading', { name: 'Inhalte' }).waitFor();
      await isAccessible();
      await page.reload();
      await page.locator('html[lang=de][data-theme=dark]').waitFor();
      await page.getByRole('heading', { name: 'Inhalte' }).waitFor();
      await page.getByText(PERSON.name).click();
      await page.getByRole('banner').getByLabel('Sprache').selectOption('en');
      await page.getByRole('heading', { name: 'Content' }).waitFor();
      await page.getByLabel('Theme').selectOption('system');
    });

    job('has the chosen language on the way back, and behind a link of another site', async () => {
      const people = `${service.url}/console/people`;
      const isGerman = () => page.getByRole('heading', { name: 'Personen', exact: true }).waitFor();
      await open('people', 'People');
      await page.getByRole('banner').locator('summary').click();
      await page.getByRole('banner').getByLabel('Language').selectOption('de');
      await isGerman();
      await page.goto('about:blank');
      await page.goBack();
      await isGerman();
      await page.goto('about:blank');
      await page.setContent(`<a href="${people}">Console</a>`);
      await page.getByRole('link').click();
      await isGerman();
    });

    longJob('finds changed items, and publishes them after it has shown the plan', async () => {
      const { operations } = service.core;
      const language = { name: 'English', codename: 'en' };
      const { id } = await operations.installation(null, (to) =>
        createProject(to, { name: 'Harbour', default_language: language }),
      );
      await operations.inProject(id, null, async (transaction) => {
        await createType(transaction, { name: 'Note', elements: [{ type: 'text', name: 'Title' }] });
        for (const codename of ['changed', 'public']) {
          await createItem(transaction, { name: codename, codename, type: { codename: 'note' } });
          const elements = [{ element: { codename: 'title' }, value: 'Title' }];
          await upsertVariant(transaction, { codename }, language, { elements });
          await publishVariant(transaction, { codename }, language);
        }
        await newVersion(transaction, { codename: 'changed' }, language);
      });
      await open(`projects/${id}/content`, 'Content');
      const published = page.getByRole('grid').locator('.state.published');
      await published.first().waitFor();
      await page.getByLabel('State').selectOption('changed');
      await page.waitForURL(/state=changed/);
      // A published item is not among them.
      await published.first().waitFor({ state: 'detached' });
      await page.getByLabel('Select changed').check();
      await page.getByRole('button', { name: 'Publish …', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('replaces the public version').first().waitFor();
      await isAccessible();
      await dialog.getByRole('button', { name: 'Publish now' }).click();
      await dialog.getByText('1 variant was published.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByLabel('Select changed').waitFor({ state: 'detached' });
    });

    longJob('keeps the page and asks for the password when the session has ended', async () => {
      await open(content(), 'Content');
      await page.getByRole('grid').getByRole('rowheader').first().waitFor();
      await write('DELETE FROM session WHERE account = ?', [operator]);
      await page.getByRole('searchbox', { name: 'Search' }).fill('ranger');
      const dialog = page.getByRole('dialog', { name: 'Sign in' });
      await dialog.waitFor();
      await isAccessible();
      await dialog.getByLabel('Password').fill('wrong');
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByText('The mail address or the password is wrong.').waitFor();
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).to.equal('ranger');
    });

    longJob('changes the own password, which ends all other sessions', async () => {
      await open('sessions', 'My sessions');
      const elsewhere = await sessionOf(service, operator);
      await page.getByRole('button', { name: 'Change the password …' }).click();
      const dialog = page.getByRole('dialog');
      await isAccessible();
      const change = async (current: string, password: string, repeated = password) => {
        await dialog.getByLabel('Current password').fill(current);
        await dialog.getByLabel('New password', { exact: true }).fill(password);
        await dialog.getByLabel('New password, once more').fill(repeated);
        await dialog.getByRole('button', { name: 'Change it' }).click();
      };
      await change(PASSWORD, 'another long password', 'another log password');
      const corrects = (field: string) =>
        dialog.locator(`input[name=${field}][aria-invalid=true][aria-describedby]:focus`).waitFor();
      await dialog.getByText('The two new passwords are not the same.').waitFor();
      await corrects('repeated');
      await page.keyboard.press('Escape');
      await dialog.getByRole('button', { name: 'Go on editing' }).click();
      await change('a wrong password', 'another long password');
      await dialog.getByText('The password is wrong.').waitFor();
      await corrects('current');
      expect((await elsewhere.browser.request('GET', 'session')).status).to.equal(200);
      await change(PASSWORD, 'another long password');
      await dialog.waitFor({ state: 'detached' });
      expect((await elsewhere.browser.request('GET', 'session')).status).to.equal(401);
      // The other jobs sign in with the one before.
      await page.getByRole('button', { name: 'Change the password …' }).click();
      await change('another long password', PASSWORD);
      await dialog.waitFor({ state: 'detached' });
    });

    job(
      'adds a person with a role, who then signs in by a link and is offered what the role permits',
      async () => {
        await open('people', 'People');
        await page.getByRole('button', { name: 'Add a person …' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill(`Grace ${made}`);
        await dialog.getByLabel('Mail address').fill(`grace.${made}@example.org`);
        await dialog.getByRole('group', { name: inSample }).getByLabel('Reader').check();
        await isAccessible();
        await dialog.getByRole('button', { name: 'Save' }).click();
        const link = (await dialog.locator('code').textContent()) ?? '';
        await dialog.getByRole('heading', { name: `Sign-in link for Grace ${made}`, exact: true }).waitFor();
        await isAccessibleToo();
        await dialog.getByRole('button', { name: 'Close' }).click();
        await page.getByRole('rowheader', { name: `Grace ${made}` }).waitFor();
        await isAccessible();

        const own = await openOther(link);
        await own.getByLabel('New password').fill(PASSWORD);
        await own.getByRole('button', { name: 'Sign in' }).click();
        await own.getByRole('navigation').getByRole('link', { name: 'Content' }).click();
        await own.getByRole('searchbox', { name: 'Search' }).fill('Where the Orrach');
        await own.getByLabel('Select Where the Orrach begins').check();
        await own.getByText('1 item selected').waitFor();
        expect(await own.getByRole('button', { name: 'Publish …', exact: true }).count()).to.equal(0);
        expect(await own.getByRole('link', { name: 'People' }).count()).to.equal(0);
        expect(other?.errors).to.deep.equal([]);
      },
    );

    longJob('asks for the password before a role is changed, when the sign-in was a while ago', async () => {
      const role = { codename: `role_${made}`, name: `Role ${made}`, permissions: ['view-content'] as const };
      await service.core.operations.installation(null, (to) => createRole(to, role));
      await open('roles', 'Roles');
      await page.getByRole('button', { name: `Edit ${role.name}`, exact: true }).click();
      const permission = page.getByLabel('Publish', { exact: true });
      await permission.waitFor();
      const long = new Date(Date.now() - 3_600_000).toISOString();
      await write('UPDATE session SET confirmed = ? WHERE account = ?', [long, operator]);
      await permission.check();
      await page.getByRole('button', { name: 'Save' }).click();
      const dialog = page.getByRole('dialog', { name: 'Confirm your password' });
      await dialog.waitFor();
      await isAccessible();
      await dialog.getByLabel('Password').fill(PASSWORD);
      await dialog.getByRole('button', { name: 'Confirm' }).click();
      await page.getByText(`${role.name} was saved.`).waitFor();
      await page.getByRole('row', { name: new RegExp(`^${role.name} View content, Publish`) }).waitFor();
      await isAccessible();
    });

    job('signs out', async () => {
      await open('sessions', 'My sessions');
      await isAccessible();
      await page.getByText(PERSON.name).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      await isAccessible();
    });

    longJob(
      'makes a role for one language, and a translator who is offered that one only, with the keyboard only',
      async () => {
        const keys = new Keyboard(page);
        const role = `German translator ${made}`;
        await open(content(), 'Content');
        await keys.press('Roles');
        await page.getByRole('heading', { name: 'Roles' }).waitFor();
        await keys.press('Add a role …');
        await page.getByRole('dialog').waitFor();
        await keys.type('Name', role);
        await keys.type('Codename', `german_translator_${made}`);
        for (const permission of ['View content', 'Edit content and assets', 'Publish'])
          await keys.press(permission, 'Space');
        await keys.press('Only some languages or types');
        for (const permission of ['Edit content and assets', 'Publish']) {
          await keys.press(`Limit “${permission}”`);
          const language = page
            .getByRole('group', { name: `${permission}: only in these languages` })
            .getByLabel('Deutsch', { exact: true });
          await keys.press(language, 'Space');
        }
        await isAccessible();
        await keys.press('Save');
        const permissions = 'View content, Edit content and assets (de), Publish (de)';
        await page.getByRole('row', { name: `${role} ${permissions}` }).waitFor();

        await keys.press('People');
        await page.getByRole('heading', { name: 'People' }).waitFor();
        await keys.press('Add a person …');
        await page.getByRole('dialog').waitFor();
        await keys.type('Name', `Grace ${made}`);
        await keys.type('Mail address', `grace.${made}@example.org`);
        await keys.press(
          page.getByRole('group', { name: inSample }).getByLabel(role, { exact: true }),
          'Space',
        );
        await keys.press('Save');
        const invitation = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
        await keys.press('Close');
        await page.getByRole('rowheader', { name: `Grace ${made}` }).waitFor();

        const own = await openOther(invitation);
        await new Keyboard(own).type('New password', PASSWORD);
        await own.keyboard.press('Enter');
        await own.getByText(`Grace ${made}`).waitFor();
        expect(await own.getByRole('link', { name: 'Roles' }).count()).to.equal(0);
        const put = (path: string, body?: object) =>
          own.evaluate(
            async ([path, body]) => {
              const response = await fetch(`/console/api/manage/projects/${path}`, {
                method: 'PUT',
                headers: { 'x-headwater-console': '1', 'content-type': 'application/json' },
                ...(body && { body }),
              });
              return { status: response.status, text: await response.text() };
            },
            [path, body ? JSON.stringify(body) : ''] as const,
          );
        // She may edit her language only, and is refused elsewhere with a sentence.
        const variant = `${service.sample!.projectId}/items/codename/where_the_orrach_begins/variants/codename`;
        const body = { elements: [{ element: { codename: 'title' }, value: 'Am Ursprung' }] };
        expect(await put(`${variant}/de/new-version`)).to.include({ status: 204 });
        expect((await put(`${variant}/de`, body)).status).to.equal(200);
        const refused = await put(`${variant}/en`, body);
        expect(refused.status).to.equal(403);
        expect(refused.text).to.include(
          "Your roles in this project do not include 'edit-content' for items of the type 'Article' in the language 'English'.",
        );
        expect(other?.errors).to.deep.equal([]);
      },
    );
  });
});

/** Hostile texts in every field of the editors, in a project that consists of such texts. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { findVariant } from '../../core/content/variants.ts';
import { browserOfProcess } from '../support/browser/browser-of-process.ts';
import { separateJobs } from '../support/browser/console-jobs.ts';
import { closeDialog, eachDialog, OPEN_DIALOG, openAll } from '../support/browser/dialogs-of-screen.ts';
import { typeHostile } from '../support/browser/type-hostile.ts';
import { pageWithSession, signInPerson } from '../support/console/console-people.ts';
import { isLongForm } from '../support/long-form.ts';
import { createHostileProject, type HostileProject } from '../support/projects/hostile-project.ts';
import { HOSTILE_STRINGS } from '../support/projects/hostile-strings.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';
import { until } from '../support/until.ts';

/** Positions of the elements of a type or snippet that are opened: one of each kind; in the short form texts and an address. */
const ELEMENTS = isLongForm ? [...Array(12).keys()] : [0, 1, 10];

describe('hostile texts in the editors of the console', () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let operator: string;
  let project: HostileProject;
  before(async () => {
    const limits = 'HEADWATER_PLUGINS__SESSION__LIMITS__SECOND';
    [service, browser] = await Promise.all([
      startService({ environment: { [limits]: '1000' } }),
      browserOfProcess(),
    ]);
    operator = (await signInPerson(service, { name: 'Operator', isOperator: true })).account;
    project = await createHostileProject(service);
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });
  const { job, longJob } = separateJobs(async () => {
    const opened = await pageWithSession(browser, service, operator);
    ({ page } = opened);
    await page.addInitScript('window.alert = () => console.error("a script ran")');
    return opened;
  });

  const open = async (path: string) => {
    await page.goto(`${service.url}/console/projects/${project.id}/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled();
  };
  const settled = async () => {
    await page.locator('.loading').first().waitFor({ state: 'hidden' });
    expect(await page.locator('script').count(), 'scripts of the page').to.equal(2);
    expect(await page.locator('img[src=x], [onload], [onerror], [onfocus]').count()).to.equal(0);
  };
  /** The fields of a screen and of each of its dialogs. */
  const fill = async () => {
    await openAll(page, 'main details');
    await typeHostile(page, 'main');
    await settled();
    await fillDialogs();
  };
  const fillDialogs = () =>
    eachDialog(page, async () => {
      await typeHostile(page, 'dialog[open]');
      await settled();
    });
  const storedTexts = async () => {
    const { elements } = await service.core.operations.inProject(project.id, null, (transaction) =>
      findVariant(transaction, { id: project.item }, { codename: 'd' }),
    );
    return Object.values(elements);
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  job('are texts in a form with every kind of element, and come back as they were typed', async () => {
    await open(`items/${project.item}?language=d`);
    await page.locator('[role=textbox][contenteditable=true]').first().waitFor();
    // A component is drawn when it is near the window.
    await page.locator('[role=textbox][contenteditable=true]').first().focus();
    await page.keyboard.press('Control+End');
    await page.locator('[data-component] > summary').click();
    await page.locator('details[data-component][open] textarea').first().waitFor();
    const fields = await typeHostile(page, 'main');
    // Elements, those of the component, search and tools; those of the snippet are in another tab.
    expect(fields).to.be.at.least(60);
    await settled();
    // What is no number or time stays in the form; the rest is saved.
    await button(/^Save$/).click();
    const typed = HOSTILE_STRINGS.join('\n').replaceAll('\r\n', '\n');
    await until(async () => (await storedTexts()).includes(typed));
  });

  longJob('are texts in a second tab of a form', async () => {
    await open(`items/${project.item}?language=d`);
    await page.getByRole('tab').nth(1).click();
    expect(await typeHostile(page, 'main')).to.be.at.least(40);
    await settled();
  });

  longJob('are texts in the dialogs of rich text', async () => {
    await open(`items/${project.item}?language=d`);
    await page.locator('[role=textbox][contenteditable=true]').first().click();
    const opening = page
      .getByRole('toolbar')
      .first()
      .locator('button:not([aria-disabled=true])')
      .filter({ hasText: /\S/ });
    // The last one inserts a table.
    for (let at = 0; at < (await opening.count()) - 1; at += 1) {
      await opening.nth(at).click();
      await page.locator(OPEN_DIALOG).waitFor();
      await typeHostile(page, OPEN_DIALOG);
      await settled();
      await closeDialog(page);
    }
  });

  job('are addresses of links', async () => {
    await open(`items/${project.item}?language=d`);
    const text = page.locator('[role=textbox][contenteditable=true]').first();
    const addresses = ['javascript:alert(1)', 'data:text/html,<script>alert(1)</script>'];
    for (const address of addresses) {
      await text.focus();
      await page.keyboard.press('Control+Home');
      await page.getByRole('toolbar').first().getByRole('button', { name: 'Link' }).click();
      await page.getByRole('dialog').getByLabel('Address').fill(address);
      // The second time, the caret is in the link that the first one made.
      const words = page.getByRole('dialog').getByLabel('Text');
      if ((await words.count()) > 0) await words.fill('hostile link');
      await page.getByRole('dialog').locator('[type=submit]').click();
      const link = text.getByText('hostile link').first();
      await link.click({ modifiers: ['Control'] });
      await link.click({ button: 'middle' });
      await settled();
    }
    expect(page.context().pages()).to.have.length(1);
  });

  longJob('are texts beside another language, in the preview and in requests', async () => {
    await open(`items/${project.item}?language=d&source=l&preview=json`);
    await page.getByRole('tab').first().waitFor();
    await settled();
    await fillDialogs();
  });

  job('are texts in versions that are compared', async () => {
    await open(`items/${project.item}/history?language=${project.language}`);
    await page.locator('.time-line li').first().waitFor();
    await page.locator('ins').first().waitFor();
    await fill();
  });

  longJob('are texts of an asset', async () => {
    await open(`assets/${project.asset}`);
    await page.locator('.workbench').waitFor();
    await fill();
  });

  for (const [kind, part, run] of [
    ['type', 'types', job],
    ['snippet', 'snippets', longJob],
  ] as const)
    run(`are texts in the elements of a ${kind}`, async () => {
      await open(`${part}/${project[kind]}`);
      const tabs = page.getByRole('tab');
      for (let tab = 0; tab === 0 || tab < (await tabs.count()); tab += 1) {
        if ((await tabs.count()) > 0) await tabs.nth(tab).click();
        const rows = page.getByRole('button', { name: /^Edit/ });
        expect(await rows.count()).to.be.at.least(1);
        const count = await rows.count();
        for (const at of ELEMENTS.filter((at) => at < count)) {
          await rows.nth(at).click();
          await typeHostile(page, '.element-form');
          await rows.nth(at).click();
        }
      }
      await typeHostile(page, 'main');
      await settled();
    });

  job('are texts in the trees of taxonomies and the sitemap', async () => {
    for (const path of [`taxonomies/${project.taxonomy}`, 'sitemap']) {
      await open(path);
      expect(await page.locator('main').textContent()).to.include('alert(1)');
      await typeHostile(page, 'main');
      await settled();
    }
  });

  longJob('are texts in lists of the model and of assets, and in their dialogs', async () => {
    for (const part of ['types', 'snippets', 'taxonomies', 'languages', 'types/new', 'assets', 'calendar']) {
      await open(part);
      await fill();
    }
  });

  // The same fields as those of one asset.
  longJob('are texts in the descriptions of many assets', async () => {
    await open('assets?edit=descriptions');
    await fill();
  });
});

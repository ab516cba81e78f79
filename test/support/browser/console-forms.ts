/** A service whose forms a test fills and leaves: what each of them needs is there, and the server can be away. */
import type { Browser, Locator, Page } from 'playwright-core';
import { type SignedInPerson, sessionOf, signInPerson } from '../console/console-people.ts';
import { type Relay, startRelay } from '../network/relay.ts';
import { type RunningService, startService } from '../service/start-service.ts';
import { browserOfProcess } from './browser-of-process.ts';
import { addOperator } from './console-person.ts';
import type { FilledForm } from './filled-forms.ts';

export class ConsoleForms {
  readonly service: RunningService;
  readonly browser: Browser;
  /** Of the console. */
  readonly url: string;
  /** Of an operator. */
  readonly account: string;
  readonly ada: SignedInPerson;
  /** By the names that paths of forms have. */
  readonly ids = { ITEM: '', LINKED: '', IMAGES: '', FOLDER: '', WEBHOOK: '' };
  #relay: Relay;

  private constructor(
    service: RunningService,
    browser: Browser,
    relay: Relay,
    account: string,
    ada: SignedInPerson,
  ) {
    this.service = service;
    this.browser = browser;
    this.#relay = relay;
    this.url = `http://127.0.0.1:${relay.port}/console`;
    this.account = account;
    this.ada = ada;
  }

  static async start(): Promise<ConsoleForms> {
    const [service, browser] = await Promise.all([
      startService({ sample: true, unlimited: true }),
      browserOfProcess(),
    ]);
    const relay = await startRelay(Number(new URL(service.url).port));
    const account = await addOperator(service);
    const forms = new ConsoleForms(service, browser, relay, account, await sessionOf(service, account));
    await forms.#fill();
    return forms;
  }

  async #fill(): Promise<void> {
    const { service, ada, ids } = this;
    // Who can get a key.
    await signInPerson(service, {
      name: 'Grace',
      projects: [{ id: service.sample!.projectId, capabilities: ['manage-apis'] }],
    });
    const project = `projects/${service.sample!.projectId}`;
    const make = async <Made>(method: string, path: string, body: unknown) =>
      (await ada.browser.request<Made>(method, `manage/${project}/${path}`, body)).body;
    const trees = await make<{ folders: { id: string }[] }>('PATCH', 'folders', [
      { op: 'addInto', value: { name: 'Birds', folders: [] } },
    ]);
    ids.FOLDER = trees.folders.at(-1)!.id;
    const hook = { name: 'Hook', url: 'https://example.org/hook' };
    const triggers = { delivery_api_content_changes: [], workflow_step_changes: [] };
    ids.WEBHOOK = (await make<{ id: string }>('POST', 'webhooks', { ...hook, triggers })).id;
    const { items } = (
      await ada.browser.request<{ items: { id: string }[] }>('GET', `admin/${project}/items?text=kingfisher`)
    ).body;
    ids.ITEM = items[0]!.id;
    const type = { codename: 'article' };
    ids.LINKED = (await make<{ id: string }>('POST', 'items', { name: 'Linked', type })).id;
    await make('PUT', `items/${ids.LINKED}/variants/codename/en`, { elements: [] });
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.#relay.close();
    await this.service.stop();
  }

  /** The server does not answer until `comeBack`. */
  async goAway(): Promise<void> {
    await this.#relay.close();
  }

  async comeBack(): Promise<void> {
    this.#relay = await startRelay(Number(new URL(this.service.url).port), Number(new URL(this.url).port));
  }

  async open(page: Page, { at, by, save }: FilledForm): Promise<Locator> {
    const path = at.replace(/[A-Z]{4,}/, (name) => this.ids[name as keyof typeof this.ids]);
    const { projectId } = this.service.sample!;
    try {
      await page.goto(this.url + (path.startsWith('/') ? path : `/projects/${projectId}/${path}`));
      for (const name of by) await press(page, name);
      const form = page
        .locator('form', { has: page.getByRole('button', { name: save, exact: true }) })
        .last();
      await form.waitFor();
      return form;
    } catch (error) {
      // The page may be closed by now.
      const shown = await page.locator('body').textContent().catch(String);
      (error as Error).message += `\nThe page ${page.url()} shows: ${shown}`;
      throw error;
    }
  }
}

/** What the form offers to restore. */
export const offer = (form: Locator) => form.getByRole('region', { name: 'You typed something here before' });

export const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: typeof name === 'string' })
    .or(page.getByRole('checkbox', { name }))
    .or(page.getByRole('tab', { name }))
    .or(page.getByRole('radio', { name }))
    .first()
    .click();

export const control = (form: Locator, label: string) => form.getByLabel(label, { exact: true }).last();

/** What is in the controls in which a test types. */
export async function valuesIn(form: Locator, { typed }: FilledForm): Promise<FilledForm['typed']> {
  const values = Object.keys(typed).map(async (label) => {
    const one = control(form, label);
    return [label, typeof typed[label] === 'boolean' ? await one.isChecked() : await one.inputValue()];
  });
  return Object.fromEntries(await Promise.all(values));
}

export async function type(form: Locator, { typed }: Pick<FilledForm, 'typed'>): Promise<void> {
  for (const [label, value] of Object.entries(typed)) {
    const one = control(form, label);
    if (typeof value === 'boolean') await one.setChecked(value);
    else if ((await one.evaluate(({ nodeName }) => nodeName)) === 'SELECT') await one.selectOption(value);
    else await one.fill(value);
  }
}

/** As a click, also where a dialog is over it. */
export const click = (form: Locator, name: string) =>
  form
    .getByRole('button', { name, exact: true, includeHidden: true })
    .evaluate((button) => (button as unknown as { click(): void }).click());

/** A text by which what is typed is found in a copy. */
export const mark = ({ typed }: FilledForm) =>
  Object.values(typed).find((value) => typeof value === 'string') as string;

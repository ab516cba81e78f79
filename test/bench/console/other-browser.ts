import { openBrowser, openPage } from '../../support/browser/open-browser.ts';
import type { Bench, Measure } from '../benchmark.ts';
import { startCached } from '../gateway/cached-service.ts';
import { ADMIN_TOKEN } from '../management/managed-service.ts';

/** Until a page of another browser shows what was committed. */
export const otherBrowser: Measure = {
  name: 'other-browser',
  about: 'a role renamed over the admin API, until the list of roles in a browser shows it',
  async run({ datasets, requests }: Bench) {
    const service = await startCached(await datasets.copy(await datasets.of(1000), 'console-browser'));
    const url = `http://127.0.0.1:${service.port}`;
    const { id } = await service.admin('users', { name: 'Ada', email: 'ada@example.com' });
    const send = async (method: string, path: string, body: unknown) => {
      const answer = await fetch(`${url}/admin/${path}`, {
        method,
        headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}.`);
    };
    const { token } = await service.admin(`users/${id}/sign-in-link`, {});
    await send('PUT', `users/${id}/operator`, { operator: true });
    const role = await service.admin('roles', { name: 'Begin', codename: 'bench', permissions: [] });
    const browser = await openBrowser('chromium');
    try {
      const { page } = await openPage(browser);
      await page.goto(`${url}/console/sign-in#token=${token}`);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Roles' }).click();
      await page.getByText('Begin').waitFor();
      const took: number[] = [];
      for (let at = 0; at < requests(100); at += 1) {
        const name = `Round ${at} of ${role['id']}`;
        const shown = page.getByText(name).waitFor({ timeout: 10_000 });
        const began = performance.now();
        await send('PATCH', `roles/${role['id']}`, { name });
        await shown;
        took.push(performance.now() - began);
      }
      const sorted = took.toSorted((one, other) => one - other);
      const p95 = sorted[Math.ceil(sorted.length * 0.95) - 1]!;
      const detail = `median ${sorted[Math.floor(sorted.length / 2)]!.toFixed(0)} ms of ${sorted.length}`;
      return [{ name: 'commit → visible, p95', value: p95, unit: 'ms', target: { atMost: 300 }, detail }];
    } finally {
      await browser.close();
    }
  },
  compare: { leftOut: 'earlier versions have no event streams' },
};

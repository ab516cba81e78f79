/** What the tests of the console in a browser share: jobs of a person, on a page that reports no error meanwhile. */

import { expect } from 'chai';
import { hasAllTests } from '../long-form.ts';
import { accessibilityFindings, type LeavablePage, type OpenedPage, withScreenshot } from './open-browser.ts';

export interface ConsoleJobs {
  /** A test of what a person does on the page. */
  job(name: string, work: () => Promise<void>): void;
  /** A job of the long form alone: another one has its subject in `npm test`, in a browser or without one. */
  longJob(name: string, work: () => Promise<void>): void;
  /** @param where for the message, where a job checks several screens */
  isAccessible(where?: string): Promise<void>;
  /** The same in the long form alone: of a screen that `npm test` examines in another state as well. */
  isAccessibleToo(where?: string): Promise<void>;
}

/**
 * Jobs with a page each: none needs what another one did, and the second attempt of a job begins as the first.
 *
 * @param open opens a page with an empty browser profile, which is left after the job
 */
export function separateJobs(open: () => Promise<LeavablePage>): ConsoleJobs {
  let opened: LeavablePage | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async function () {
    // A job that has failed may yet work on its page.
    if (this.currentTest?.state === 'passed') await opened?.leave();
    else await opened?.page.context().close();
    opened = undefined;
  });
  return consoleJobs(() => opened as LeavablePage);
}

/** @param opened the page, once a `before` has opened it */
export function consoleJobs(opened: () => OpenedPage): ConsoleJobs {
  const job: ConsoleJobs['job'] = (name, work) => {
    it(name, async () => {
      await withScreenshot(opened().page, name.replaceAll(/\W+/g, '-'), work);
      expect(opened().errors).to.deep.equal([]);
    });
  };
  const isAccessible = async (where = '') => {
    expect(await accessibilityFindings(opened().page), where).to.deep.equal([]);
  };
  return {
    job,
    longJob: hasAllTests ? job : () => {},
    isAccessible,
    isAccessibleToo: hasAllTests ? isAccessible : async () => {},
  };
}

import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createTaxonomy } from '../../core/content/taxonomies.ts';
import { createType } from '../../core/content/types.ts';
import { generate } from '../../core/generate/generate.ts';
import type { ProjectTransaction } from '../../core/transaction/project-transaction.ts';
import { failure } from '../support/failure.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

describe('generated content', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const isRefused = async (taken: string, make: (to: ProjectTransaction) => Promise<object>) => {
    const { operations } = service.core;
    const { id } = await operations.installation(null, (to) => createProject(to, { name: 'Own' }));
    await operations.inProject(id, null, make);
    const typesOf = () => operations.read(id, async ({ model }) => model.types.length);
    const before = await typesOf();
    const { message } = await failure(() => generate(operations, { items: 2, project: id.toUpperCase() }));
    expect(message).to.include(`a model of its own, with '${taken}'`);
    expect(await typesOf()).to.equal(before);
  };

  it('is refused for a project with a type of its own that has the same codename', () =>
    isRefused('article', (to) => createType(to, { name: 'Article', elements: [] })));

  it('is refused for a project with a taxonomy group of its own that has the same codename', () =>
    isRefused('topics', (to) => createTaxonomy(to, { name: 'Topics', terms: [] })));
});

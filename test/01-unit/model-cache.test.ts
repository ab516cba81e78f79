import { expect } from 'chai';
import { createProject } from '../../core/access/projects.ts';
import { createType } from '../../core/content/types.ts';
import { loadModel } from '../../core/model/load-model.ts';
import { ModelCache } from '../../core/model/model-cache.ts';
import { openWorkbench, type Workbench } from '../support/service/workbench.ts';

describe('cached models', () => {
  let bench: Workbench;
  beforeEach(async () => {
    bench = await openWorkbench();
  });
  afterEach(() => bench.close());

  const cacheOf = ({ storage }: Workbench) => {
    const models = new ModelCache(storage);
    storage.onCommit((changes) => models.committed(changes));
    return models;
  };
  const addType = (name: string) =>
    bench.run((transaction) => createType(transaction, { name, elements: [{ type: 'text', name: 'Text' }] }));

  it('are the newest after a commit, also for two callers at once', async () => {
    const models = cacheOf(bench);
    const { id } = bench.project;
    await models.current(id);
    for (const name of ['One', 'Two', 'Three']) {
      await addType(name);
      const asked = await Promise.all([models.current(id), models.current(id), models.current(id)]);
      for (const { types } of asked) expect(types.map((type) => type.name)).to.include(name);
      expect(new Set(asked).size, 'loaded once').to.equal(1);
    }
  });

  it('are not loaded again for a commit that does not change them', async () => {
    const models = cacheOf(bench);
    const { id } = bench.project;
    const before = await models.current(id);
    await bench.run(async (transaction) => transaction.change('project', 'upsert', id, []));
    expect(await models.current(id)).to.equal(before);
    expect(await models.current(id)).to.equal(before);
  });

  it('are loaded once by readers that all found them too old', async () => {
    const models = cacheOf(bench);
    const { id } = bench.project;
    const stale = await models.recent(id);
    await addType('Four');
    models.forget(stale);
    const newer = await models.recent(id);
    models.forget(stale);
    expect(await models.recent(id)).to.equal(newer);
    expect(newer.sequence).to.be.above(stale.sequence);
  });

  it('are those that were used last, whose stored form is small enough together', async () => {
    const { id } = bench.project;
    const { id: another } = await bench.installation((to) => createProject(to, { name: 'Another' }));
    const one = await loadModel(bench.sql, id);
    const models = new ModelCache(bench.storage, 2 * one.characters - 1);
    const first = await models.recent(id);
    expect(await models.recent(id)).to.equal(first);
    await models.recent(another);
    expect(await models.recent(id)).not.to.equal(first);
  });

  it('are kept also where one is larger than all may be', async () => {
    const models = new ModelCache(bench.storage, 10);
    const { id } = bench.project;
    expect(await models.recent(id)).to.equal(await models.recent(id));
  });
});

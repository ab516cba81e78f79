import { expect } from 'chai';
import { createType } from '../../core/content/types.ts';
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
});

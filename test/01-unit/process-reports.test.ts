import { expect } from 'chai';
import { InstallationReports } from '../../core/changes/process-reports.ts';

describe('reports of all processes', () => {
  let asked: unknown[];
  const gateways = {
    collect: async (request: unknown) => {
      asked.push(request);
      return new Map([['a', { instance: 'a' }]]);
    },
  };
  beforeEach(() => {
    asked = [];
  });

  it('are those of this core and its gateways while the others cannot be asked', async () => {
    const registry = {
      ask: () => Promise.reject(new Error('The database is not reachable.')),
      answer: () => {},
    };
    const reports = new InstallationReports(gateways, registry, () => 1);
    reports.serve(async () => ({ instance: 'own' }));
    const state = { what: 'state', after: null } as const;
    expect(await reports.collect({ what: 'cores' })).to.deep.equal({
      cores: [{ instance: 'own' }],
      gateways: [],
    });
    expect(asked).to.deep.equal([]);
    expect(await reports.collect(state)).to.deep.equal({ cores: [], gateways: [{ instance: 'a' }] });
    expect(asked).to.deep.equal([state]);
  });

  it('are without those of a core that are too long', async () => {
    const other = JSON.stringify({ core: null, gateways: [['b', { instance: 'b' }]] });
    const registry = { ask: async () => [null, other], answer: () => {} };
    const reports = new InstallationReports(gateways, registry, () => 2);
    expect((await reports.collect({ what: 'state', after: null })).gateways).to.deep.equal([
      { instance: 'a' },
      { instance: 'b' },
    ]);
  });
});

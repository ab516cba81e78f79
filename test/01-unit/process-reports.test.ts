import { expect } from 'chai';
import { InstallationReports } from '../../core/changes/process-reports.ts';

describe('reports of all processes', () => {
  const gateways = { collect: async () => new Map([['a', { instance: 'a' }]]) };

  it('are those of this core and its gateways while the others cannot be asked', async () => {
    const registry = {
      ask: () => Promise.reject(new Error('The database is not reachable.')),
      answer: () => {},
    };
    const reports = new InstallationReports(gateways, registry, () => 1);
    reports.serve(async () => ({ instance: 'own' }));
    expect(await reports.collect({ what: 'state', after: null })).to.deep.equal({
      cores: [{ instance: 'own' }],
      gateways: [{ instance: 'a' }],
    });
  });
});
